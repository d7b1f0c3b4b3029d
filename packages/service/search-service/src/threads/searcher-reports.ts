/** What the reports of a search thread are in the thread that gets them. */

import { ApiError, foreignText } from '@fossick/base';
import type { JobResult } from '../jobs/kinds/job.js';
import type { Refusal, SearchReport } from './searcher-messages.js';

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

/** The error that a thread has reported for a request. */
export function refused({ code, message }: Refusal): ApiError {
  return new ApiError(code, foreignText(message));
}
