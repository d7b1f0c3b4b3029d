/** One request as it goes out. */
export interface ProviderRequest {
  readonly url: string;
  readonly method: 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly signal: AbortSignal;
}
export interface ProviderAnswer {
  readonly status: number;
  /** The value of a header by its lower-case name. */
  readonly header: (name: string) => string | null;
  readonly body: AsyncIterable<Uint8Array>;
}

/** Thrown by a transport that will not send a request to its address at a later attempt either. */
export class ForbiddenAddressError extends Error {
  override readonly name = 'ForbiddenAddressError';
}

/**
 * Sends a request and resolves once the answer begins. Follows no redirect: keys are only for one address. Rejects
 * without an answer, finally with a ForbiddenAddressError. A program with rules about addresses passes a transport of its own.
 */
export type Transport = (request: ProviderRequest) => Promise<ProviderAnswer>;

/** Sends with Node's own fetch. */
export const fetchTransport: Transport = async ({ url, ...init }) => {
  const answer = await fetch(url, { ...init, redirect: 'manual' });
  return {
    status: answer.status,
    header: (name) => answer.headers.get(name),
    body: (answer.body ?? []) as AsyncIterable<Uint8Array>,
  };
};
