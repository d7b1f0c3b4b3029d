/**
 * Why there is no vector: `configuration` (it can never work), `unreachable` (no answer), `refused` (an error as
 * answer), `nonsense` (an answer without vectors), `dimensions` (vectors of another size), `timeout`, `aborted`.
 */
export type EmbeddingFault =
  | 'configuration'
  | 'unreachable'
  | 'refused'
  | 'nonsense'
  | 'dimensions'
  | 'timeout'
  | 'aborted';

export interface EmbeddingErrorFacts {
  /** The address of the request, without user, password and query. */
  readonly url?: string;
  /** HTTP status of the answer. */
  readonly status?: number;
  /** The first of the inputs of the request. */
  readonly inputIndex?: number;
  readonly cause?: unknown;
}

/** An embedder could not make its vectors. The message contains address, status and fault, and no key. */
export class EmbeddingError extends Error {
  readonly kind: EmbeddingFault;
  readonly url: string | undefined;
  readonly status: number | undefined;
  readonly inputIndex: number | undefined;

  constructor(kind: EmbeddingFault, message: string, { url, status, inputIndex, cause }: EmbeddingErrorFacts = {}) {
    super(message, cause === undefined ? {} : { cause });
    this.kind = kind;
    this.name = 'EmbeddingError';
    this.url = url;
    this.status = status;
    this.inputIndex = inputIndex;
  }

  /** The same error for one of several inputs. */
  at(inputIndex: number): EmbeddingError {
    const { kind, message, url, status, cause } = this;
    return new EmbeddingError(kind, message, {
      ...(url === undefined ? {} : { url }),
      ...(status === undefined ? {} : { status }),
      inputIndex,
      cause,
    });
  }
}

/** An address that may be shown: without user, password, query and fragment, which may contain keys. */
export function shownUrl(url: string): string {
  if (!URL.canParse(url)) return 'an address that is none';
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}
