import { closeSync, constants, fstatSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { own } from '@fossick/base';
import { hasExpiryAttribute, readManifest, rowsOf } from '@fossick/format';
import type { Store } from '@fossick/storage';
import type { IndexStats } from '../port.js';

/** Beside the store of an index: figures that can be read without opening it. */
const SUMMARY_FILE = 'summary.json';

/** Figures of an index at one commit of its store. */
export interface IndexSummary {
  readonly commit: number;
  readonly updatedAt: string;
  readonly stats: IndexStats;
  /** Bytes of live pages. */
  readonly usedBytes: number;
  /** Bytes of the file; absent in summaries of earlier releases. */
  readonly diskBytes?: number;
  /**
   * Whether segments wait to be merged, or rows of dropped ones to be removed; absent in summaries that readers wrote.
   */
  readonly isMergeDue?: boolean;
  /** Whether its documents may expire; absent: no. */
  readonly hasExpiry?: true;
}

/** `isMergeDue`: the writer's knowledge of the index. */
export function summaryOf(store: Store, commit: number, isMergeDue?: boolean): IndexSummary {
  const manifest = readManifest(rowsOf(store));
  const { documentCount, documentBytes, fieldDistribution } = manifest;
  const names = Object.keys(fieldDistribution).sort();
  return {
    commit,
    updatedAt: manifest.updatedAt,
    stats: {
      numberOfDocuments: documentCount,
      rawDocumentDbSize: documentBytes,
      avgDocumentSize: documentCount === 0 ? 0 : Math.floor(documentBytes / documentCount),
      numberOfEmbeddings: manifest.embeddingCount ?? 0,
      numberOfEmbeddedDocuments: manifest.embeddedDocumentCount ?? 0,
      fieldDistribution: Object.fromEntries(names.map((name) => [name, own(fieldDistribution, name)!])),
    },
    ...store.size(),
    ...(isMergeDue === undefined ? {} : { isMergeDue }),
    ...(hasExpiryAttribute(rowsOf(store)) ? { hasExpiry: true as const } : {}),
  };
}

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

/** Figures of an index whose store cannot be read and that has no summary. */
export function unknownSummary(updatedAt: string): IndexSummary {
  const stats = {
    numberOfDocuments: 0,
    rawDocumentDbSize: 0,
    avgDocumentSize: 0,
    numberOfEmbeddings: 0,
    numberOfEmbeddedDocuments: 0,
    fieldDistribution: {},
  };
  return { commit: 0, updatedAt, stats, usedBytes: 0 };
}
