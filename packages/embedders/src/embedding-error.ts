/**
 * Why there is no vector: `configuration` (it can never work), `unreachable` (no answer), `refused` (an answer that says no), `nonsense` (an answer that
 * holds no vectors), `dimensions` (vectors of another size), `timeout`, `aborted`.
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
  /** Where was asked, without user, password and query. */
  readonly url?: string;
  /** HTTP status of the answer. */
  readonly status?: number;
  /** The first of the inputs that were asked for together. */
  readonly inputIndex?: number;
  readonly cause?: unknown;
}

/** An embedder could not make its vectors. The message tells address, status and fault, and holds no key. */
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

  /** The same, told of one of several inputs. */
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

/** An address as it may be told: without user, password, query and fragment, which may hold keys. */
export function shownUrl(url: string): string {
  if (!URL.canParse(url)) return 'an address that is none';
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}
