/** The place of an object store is gone, which its system says; it had objects before. Nothing is known of them. */
export class MissingStoreError extends Error {}

/** An object store that does not do what the log needs. */
export class UnsafeStoreError extends Error {}
