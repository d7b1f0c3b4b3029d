import type { Root } from './environment.js';

/** Part of lmdb-js that its type declarations omit: one buffer per key shared by all threads of the process. */
interface SharesBuffers {
  getUserSharedBuffer(key: Uint8Array, initial: ArrayBuffer): ArrayBuffer;
}

/** Initially zeros; shared by all handles of one folder in this process. */
export function sharedBuffer(root: Root, key: string, bytes: number): ArrayBuffer {
  return (root as Root & SharesBuffers).getUserSharedBuffer(Buffer.from(key), new ArrayBuffer(bytes));
}
