import { closeSync, constants, fstatSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { IndexSummary } from './index-summary.js';

/** Next to the store of an index: figures that can be read without opening it. */
const SUMMARY_FILE = 'summary.json';

/** A summary in its file: `endCommit` is its last member, so that a half overwritten one has two commits. */
interface StoredSummary extends IndexSummary {
  /** Absent in summaries of earlier releases. */
  readonly endCommit?: number;
}

/** The file's length is a multiple of this many bytes, filled up with spaces. */
const BLOCK_BYTES = 1024;
const SPACE = 0x20;

/**
 * Overwrites the file and flushes nothing: a summary that is cut short or of another commit is ignored. The file never becomes shorter: its
 * length is metadata, which the file system writes before the next flush of any store.
 */
export function writeSummary(folder: string, summary: IndexSummary): void {
  const stored: StoredSummary = { ...summary, endCommit: summary.commit };
  const text = Buffer.from(JSON.stringify(stored));
  const file = openSync(join(folder, SUMMARY_FILE), constants.O_WRONLY | constants.O_CREAT, 0o666);
  try {
    const byteCount = Math.max(fstatSync(file).size, Math.ceil(text.length / BLOCK_BYTES) * BLOCK_BYTES);
    const bytes = Buffer.alloc(byteCount, SPACE);
    text.copy(bytes);
    writeSync(file, bytes, 0, byteCount, 0);
  } finally {
    closeSync(file);
  }
}

/** Undefined when there is no complete summary. O(bytes) */
export function readSummary(folder: string): IndexSummary | undefined {
  try {
    const { endCommit, ...summary } = JSON.parse(readFileSync(join(folder, SUMMARY_FILE), 'utf8')) as StoredSummary;
    return endCommit === undefined || endCommit === summary.commit ? summary : undefined;
  } catch {
    return undefined;
  }
}
