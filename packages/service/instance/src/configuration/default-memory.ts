/** Default memory limits of a server. */
import { totalmem } from 'node:os';
import {
  ANSWERS_MEMORY_SHARE,
  MAX_DEFAULT_ANSWERS_BYTES,
  MAX_DEFAULT_SEARCH_BYTES,
  MIN_DEFAULT_ANSWERS_BYTES,
  MIN_DEFAULT_SEARCH_BYTES,
  SEARCH_MEMORY_SHARE,
} from '@fossick/base';

const INDEXING_SHARE = 1 / 2;
const INDEXING_BYTES_MAX = 2 ** 31;

/**
 * Memory that this process may use, in bytes: the limit of its control group, or the machine's. A group without a limit
 * reports a huge one.
 */
export function usableBytes(limit = process.constrainedMemory(), machine = totalmem()): number {
  return limit === undefined || limit <= 0 ? machine : Math.min(limit, machine);
}

/** Bytes for searches: a share of the usable memory, within bounds. */
export function defaultSearchBytes(usable = usableBytes()): number {
  const share = Math.floor(usable * SEARCH_MEMORY_SHARE);
  return Math.min(MAX_DEFAULT_SEARCH_BYTES, Math.max(MIN_DEFAULT_SEARCH_BYTES, share));
}

/** Bytes of answers that their clients have not read yet: a share of the usable memory, within bounds. */
export function defaultAnswersBytes(usable = usableBytes()): number {
  const share = Math.floor(usable * ANSWERS_MEMORY_SHARE);
  return Math.min(MAX_DEFAULT_ANSWERS_BYTES, Math.max(MIN_DEFAULT_ANSWERS_BYTES, share));
}

/** Bytes for indexing. */
export function defaultIndexingBytes(usable = usableBytes()): number {
  return Math.min(INDEXING_BYTES_MAX, Math.floor(usable * INDEXING_SHARE));
}

/**
 * Bytes of remote answers held at the same time, over all requests: a sixteenth of the usable memory, because an answer
 * is in memory about three times while it is merged.
 */
export function defaultRemoteAnswersBytes(usable = usableBytes()): number {
  return Math.floor(usable / 16);
}
