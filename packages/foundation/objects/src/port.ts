/** Part of an object, from byte `start` to before byte `end`. */
export interface ObjectRange {
  readonly start: number;
  readonly end: number;
}

export interface ObjectInfo {
  readonly key: string;
  readonly bytes: number;
}

export interface PutOptions {
  /** Of any number of such calls for a key, one resolves to `put`, all others to `exists`. */
  readonly ifAbsent?: boolean;
  /** Nothing is put without this object: rejects with MissingStoreError. A store in which this takes another request does not look. */
  readonly requires?: string;
}

/**
 * Objects by key in a bucket. A key is one or more names of [A-Za-z0-9._-] joined by `/`, no name begins with a dot, and
 * no key of an object is followed by a slash in another's. An object is seen by every reader as soon as its `put` resolves, and as a whole. A `put` that rejects may have happened,
 * or may still happen, unless it rejects with an ObjectStoreError that is marked `isUnwritten`, or with MissingStoreError.
 */
export interface ObjectStore {
  put(key: string, body: Uint8Array | AsyncIterable<Uint8Array>, options?: PutOptions): Promise<'put' | 'exists'>;
  /** The bytes of an object, or null when there is none. */
  get(key: string, range?: ObjectRange): Promise<AsyncIterable<Uint8Array> | null>;
  /** Objects whose key begins with `prefix`, those with a key greater than `after`, in the order of their keys' bytes. */
  list(prefix: string, after?: string): AsyncIterable<ObjectInfo>;
  /** Removes an object; resolves too when there is none. */
  delete(key: string): Promise<void>;
}

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
