import { apiError, indexOfBytes, type SegmentId, utf8Bytes, utf8Text } from '@fossick/base';
import { type CommitChanges, writeChanges } from './page-changes.js';
import { type RowSink, type RowSource, type SegmentInfo, TABLES } from './rows.js';

/** The manifest of one index: row `manifest` of table `meta`, JSON. */
export interface IndexManifest {
  readonly primaryKey: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly segments: readonly SegmentInfo[];
  readonly nextSegmentId: SegmentId;
  /** Ids of dropped segments that still have rows, which later commits delete. */
  readonly obsolete: readonly SegmentId[];
  /**
   * The format of sets of documents: pages (doc-pages.ts); absent in manifests of older releases, which stored each as one value.
   */
  readonly docForm?: 'pages';
  /** The rules by which the words of all segments were cut (`WORD_RULES` of the tokenizer); absent: those of releases before they had a number. */
  readonly wordRules?: number;
  /** Columns have all digits of integers of 64 bits; absent in manifests of older releases, whose columns have floats. */
  readonly numberForm?: 'exact';
  /** All docids below are in use; absent: 0. */
  readonly freeFrom?: number;
  readonly documentCount: number;
  /** Greater than the docids of all live documents, and of deleted ones that segments still have. */
  readonly docIdBound: number;
  /** Bytes of all document rows. */
  readonly documentBytes: number;
  /**
   * The number of vectors of configured embedders, and of documents with any; absent in manifests of older releases.
   */
  readonly embeddingCount?: number;
  readonly embeddedDocumentCount?: number;
  /** The number of documents with each top-level field. */
  readonly fieldDistribution: Readonly<Record<string, number>>;
}

const META_KEYS = {
  version: utf8Bytes('version'),
  manifest: utf8Bytes('manifest'),
  settings: utf8Bytes('settings'),
  fields: utf8Bytes('fields'),
} as const;

/** Changes with every commit; 0 for a store without an index. One read. */
export function readVersion(rows: RowSource): number {
  const bytes = rows.get(TABLES.meta, META_KEYS.version);
  return bytes === undefined ? 0 : new DataView(bytes.buffer, bytes.byteOffset, 8).getFloat64(0);
}

/** @throws ApiError invalid_store_file when the store has no index but must have one */
export function readManifest(rows: RowSource): IndexManifest {
  const manifest = readJson<StoredManifest>(rows, META_KEYS.manifest);
  if (manifest === undefined) throw apiError('invalid_store_file', 'noIndex');
  const { retired = [], obsolete = retired.map(({ id }) => id), ...others } = manifest;
  return { ...others, obsolete };
}

/** The format of older releases: dropped segments are `retired`. */
type StoredManifest = Omit<IndexManifest, 'obsolete'> & {
  readonly obsolete?: readonly SegmentId[];
  readonly retired?: readonly { readonly id: SegmentId }[];
};

/** Writes a manifest without a change for views: the version stays. */
export function replaceManifest(sink: Pick<RowSink, 'put'>, manifest: IndexManifest): void {
  sink.put(TABLES.meta, META_KEYS.manifest, jsonBytes(manifest));
}

/** The stored settings; undefined when there are none. */
export function settingsRow(rows: RowSource): Uint8Array | undefined {
  return rows.get(TABLES.meta, META_KEYS.settings);
}

const EXPIRY_MEMBER = utf8Bytes('"expiryAttribute":');

/** Whether the settings name an attribute by which documents expire. Cheap: the settings are not parsed. */
export function hasExpiryAttribute(rows: RowSource): boolean {
  const row = settingsRow(rows);
  // a setting of its own is stored only where it is set; a word may have the same text, which only costs time
  return row !== undefined && indexOfBytes(row, EXPIRY_MEMBER) >= 0;
}

export function readFieldNames(rows: RowSource): string[] {
  return readJson<string[]>(rows, META_KEYS.fields) ?? [];
}

/** Writes the manifest and the given parts, and increments the version. */
export function writeState(sink: RowSink, state: IndexStateChange): void {
  const version = readVersion(sink) + 1;
  const versionBytes = new Uint8Array(8);
  new DataView(versionBytes.buffer).setFloat64(0, version);
  sink.put(TABLES.meta, META_KEYS.version, versionBytes);
  writeChanges(sink, version, state.changes ?? new Map());
  sink.put(TABLES.meta, META_KEYS.manifest, jsonBytes(state.manifest));
  if (state.settings !== undefined) sink.put(TABLES.meta, META_KEYS.settings, jsonBytes(state.settings));
  if (state.fieldNames !== undefined) sink.put(TABLES.meta, META_KEYS.fields, jsonBytes(state.fieldNames));
}

export interface IndexStateChange {
  readonly manifest: IndexManifest;
  /** As they are stored. */
  readonly settings?: object | undefined;
  readonly fieldNames?: readonly string[] | undefined;
  /** Pages of sets of documents that were written; absent: none. */
  readonly changes?: CommitChanges | undefined;
}

/** The manifest of an index without documents. `nowText` is RFC 3339. */
export function emptyManifest(primaryKey: string | null, nowText: string): IndexManifest {
  return {
    primaryKey,
    createdAt: nowText,
    updatedAt: nowText,
    segments: [],
    nextSegmentId: 1 as SegmentId,
    obsolete: [],
    docForm: 'pages',
    numberForm: 'exact',
    documentCount: 0,
    docIdBound: 0,
    documentBytes: 0,
    fieldDistribution: {},
  };
}

function readJson<T>(rows: RowSource, key: Uint8Array): T | undefined {
  return decodeJson(rows.get(TABLES.meta, key));
}

function decodeJson<T>(bytes: Uint8Array | undefined): T | undefined {
  return bytes === undefined ? undefined : (JSON.parse(utf8Text(bytes)) as T);
}

function jsonBytes(value: unknown): Uint8Array {
  return utf8Bytes(JSON.stringify(value));
}
