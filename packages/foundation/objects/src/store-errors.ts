/** The place of an object store is gone, which its system says; it had objects before. Nothing is known of them. */
export class MissingStoreError extends Error {}

/** An error of an object store that may tell what became of a `put`. */
export class ObjectStoreError extends Error {
  /** A `put` that rejected with this error has put nothing, and never will. */
  readonly isUnwritten: boolean;

  constructor(message: string, isUnwritten: boolean, options?: ErrorOptions) {
    super(message, options);
    this.isUnwritten = isUnwritten;
  }
}

/** What a `put` rejects with that has put nothing because of an error. */
export function unwritten(cause: unknown): Error {
  if (cause instanceof MissingStoreError) return cause;
  return new ObjectStoreError(cause instanceof Error ? cause.message : String(cause), true, { cause });
}

/** An object store that does not do what the log needs. */
export class UnsafeStoreError extends Error {}
