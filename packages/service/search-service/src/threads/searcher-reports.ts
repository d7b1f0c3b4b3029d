/** What the reports of a search thread are in the thread that gets them. */

import type { JobResult } from '../jobs/kinds/job.js';
import type { SearchReport } from './searcher-messages.js';

/** A buffer arrives as an array of bytes. */
export function receivedResult(result: JobResult<unknown>): JobResult<unknown> {
  const { value } = result;
  if (!(value instanceof Uint8Array)) return result;
  return { ...result, value: Buffer.from(value.buffer, value.byteOffset, value.length) };
}

/** The error that a thread reported: its message is answered, without paths, and its stack logged. */
export function threadError({ message, stack, code }: SearchReport & { readonly kind: 'fault' }): Error {
  return Object.assign(new Error(message), { stack }, code === undefined ? {} : { code });
}
