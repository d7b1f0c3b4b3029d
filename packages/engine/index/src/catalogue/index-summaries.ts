import { closeSync, constants, fstatSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { ApiError } from '@fossick/base';
import { lastCommitOf, type Store } from '@fossick/storage';
import { WORD_RULES } from '@fossick/tokenizer';
import type { CatalogueEntry } from './catalogue-entry.js';
import { type IndexSummary, summaryOf, unknownSummary } from './index-summary.js';
import type { SummaryMarks } from './summary-marks.js';

/** Next to the store of an index: figures that can be read without opening it. */
const SUMMARY_FILE = 'summary.json';
/** The file's length is a multiple of this many bytes, filled up with spaces. */
const BLOCK_BYTES = 1024;
const SPACE = 0x20;

const KNOWN_SUMMARIES_MAX = 20_000;
/** Summaries waiting to be written: the stores of this many indexes stay open for it. */
const UNWRITTEN_MAX = 8;

export interface IndexSummariesOptions {
  readonly pathOf: (folder: string) => string;
  readonly storeOf: (folder: string) => Store;
  /** The writer's marks of the indexes it has changed, which all threads see. */
  readonly marks: SummaryMarks | undefined;
  /** Whether an index should be merged; only the writer knows. */
  readonly isDue: ((store: Store) => boolean) | undefined;
}

/** The figures of all indexes, by the folders of their stores: cached, and written to files by the writer. */
export class IndexSummaries {
  private readonly options: IndexSummariesOptions;
  /** Cached summaries, and the writer's marks before they were read. */
  private readonly summaries = new Map<string, { readonly mark: number | undefined; readonly summary: IndexSummary }>();
  /** Folders whose summaries are of an earlier commit. */
  private readonly unwritten = new Set<string>();

  constructor(options: IndexSummariesOptions) {
    this.options = options;
  }

  /**
   * The figures of an index, which usually do not need its store: only if its summary is not of its last commit. For a
   * store that cannot be read, its last known figures. No file is read while the writer's mark of the index is
   * unchanged. Once it has moved, nothing that was read before counts, not even for the same commit: a commit is in the
   * file a moment before the store of this thread shows it, and its number may be that of figures before it.
   */
  of(entry: CatalogueEntry): IndexSummary {
    const { folder } = entry;
    const mark = this.options.marks?.of(folder);
    const known = this.summaries.get(folder);
    if (known !== undefined && mark !== undefined && known.mark === mark) return known.summary;
    const summary = this.fresh(entry);
    if (this.summaries.size >= KNOWN_SUMMARIES_MAX) this.summaries.clear();
    // the figures of a store that could not be read may be better the next time
    if (summary.commit > 0) this.summaries.set(folder, { mark, summary });
    return summary;
  }

  private fresh({ folder, updatedAt }: CatalogueEntry): IndexSummary {
    const { pathOf, storeOf } = this.options;
    const commit = lastCommitOf(pathOf(folder));
    const written = readSummary(pathOf(folder));
    // An index that is being deleted loses its row first: opening its store would create the folder again.
    if (commit === undefined || written?.commit === commit) return written ?? unknownSummary(updatedAt);
    try {
      return summaryOf(storeOf(folder), commit);
    } catch (error) {
      if (isUnreadable(error)) return written ?? unknownSummary(updatedAt);
      throw error;
    }
  }

  /** Reads those that are not cached, for at most this many milliseconds; false when all were read. */
  readAhead(entries: Iterable<CatalogueEntry>, milliseconds: number): boolean {
    const untilMs = performance.now() + milliseconds;
    for (const entry of entries) {
      if (this.summaries.has(entry.folder)) continue;
      if (performance.now() >= untilMs || this.summaries.size >= KNOWN_SUMMARIES_MAX) return true;
      this.of(entry);
    }
    return false;
  }

  /**
   * Called after a commit: notifies readers at once that their figures of the index are outdated, and writes its
   * summary when this thread has finished its work. Until then figures are read from the store. Writer only.
   */
  outdate(folder: string): void {
    this.options.marks?.move(folder);
    if (this.unwritten.size === 0) setImmediate(() => this.write());
    this.unwritten.add(folder);
    if (this.unwritten.size >= UNWRITTEN_MAX) this.write();
  }

  /** Writes the summaries that are of an earlier commit. Writer only. */
  write(): void {
    for (const folder of this.unwritten) this.writeOne(folder);
    this.unwritten.clear();
  }

  private writeOne(folder: string): void {
    const { pathOf, storeOf, marks, isDue } = this.options;
    try {
      const commit = lastCommitOf(pathOf(folder));
      if (commit === undefined) return;
      const store = storeOf(folder);
      writeSummary(pathOf(folder), summaryOf(store, commit, isDue?.(store)));
    } catch {
      // A full disk, for example: the work is committed, and figures of the index are then read from its store.
    } finally {
      marks?.move(folder);
    }
  }

  /**
   * Whether an index should be merged: from its summary, or from its store if the summary is not of the last commit.
   * Writer only.
   */
  isMergeDue(folder: string): boolean {
    const path = this.options.pathOf(folder);
    const commit = lastCommitOf(path);
    if (commit === undefined) return false;
    const written = readSummary(path);
    const isCurrent = written?.wordRules === WORD_RULES && written.numberForm === 'exact';
    if (isCurrent && written.commit === commit && written.isMergeDue !== undefined) return written.isMergeDue;
    this.writeOne(folder);
    return readSummary(path)?.isMergeDue ?? false;
  }

  /** Drops what is known of an index. */
  forget(folder: string): void {
    this.summaries.delete(folder);
    this.unwritten.delete(folder);
  }
}

/** Whether the file of a store is damaged, which concerns only its index. */
export function isUnreadable(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'invalid_store_file';
}

/** A summary in its file: `endCommit` is its last member, so that a half overwritten one has two commits. */
interface StoredSummary extends IndexSummary {
  /** Absent in summaries of earlier releases. */
  readonly endCommit?: number;
}

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
