import { createHash } from 'node:crypto';
import { joinedBytes, type SegmentId } from '@fossick/base';
import {
  type IndexManifest,
  isListPart,
  listRowBytesOf,
  partsLayout,
  readManifest,
  readVersion,
  replaceManifest,
  rowIdsOf,
  segmentKey,
  TABLES,
  WHOLE_LAYOUT,
} from '@fossick/format';
import type { Entry, Snapshot } from '@fossick/storage';
import { type FilesManifest, ID_BYTES, writeFiles } from '@fossick/storage/files';
import { Catalogue } from '../catalogue/catalogue.js';
import { snapshotRows } from '../view/view-rows.js';

const SEGMENT_ID_BYTES = 4;
/** A key of a row of a segment: the segment, the part, the number of the row in the part. */
const PART_AT = SEGMENT_ID_BYTES;
const NO_BYTES = new Uint8Array(0);

/** Indexes of at most this many bytes of documents are read as a whole by their readers. */
const SMALL_BYTES = 2 << 20;
/** A server that ignores ranges sends a whole pack for one block. */
const PACK_BYTES = 8 << 20;
const NAME_CHARACTERS = 32;

/**
 * Writes the last commit of an index of a root folder as files (storage: file-format.ts), each passed to `onFile` before
 * the next is made, and returns the manifest. The same commit gives the same files. O(bytes) @throws ApiError
 * index_not_found
 */
export async function exportIndexFiles(
  rootFolder: string,
  uid: string,
  onFile: (name: string, bytes: Uint8Array) => void,
): Promise<FilesManifest> {
  const catalogue = new Catalogue({ rootFolder });
  try {
    const { folder, createdAt } = catalogue.existing(uid);
    return await catalogue.store(folder).snapshot((snapshot) => {
      const rows = snapshotRows(snapshot);
      const manifest = readManifest(rows);
      const { primaryKey, documentCount, documentBytes } = manifest;
      const version = readVersion(rows);
      const isWhole = documentBytes <= SMALL_BYTES;
      return writeFiles(exportedRows(snapshot, manifest, isWhole ? undefined : listRowBytesOf(manifest)), {
        tables: isWhole ? WHOLE_LAYOUT : partsLayout(documentBytes),
        packBytes: PACK_BYTES,
        id: hashOf(JSON.stringify([uid, createdAt, version, manifest])).subarray(0, ID_BYTES),
        about: { uid, primaryKey, createdAt, documentCount },
        nameOf: async (bytes, kind) => `${hashOf(bytes).toString('hex').slice(0, NAME_CHARACTERS)}.${kind}`,
        onFile,
      });
    });
  } finally {
    await catalogue.close();
  }
}

function hashOf(content: string | Uint8Array): Buffer {
  return createHash('sha256').update(content).digest();
}

/**
 * The rows of a commit without those of segments that wait to be removed or belong to an unfinished merge. Lists are in rows
 * of `listRowBytes`, where it is given: a reader of files fetches a row for a list of some bytes.
 */
function exportedRows(snapshot: Snapshot, manifest: IndexManifest, listRowBytes: number | undefined): Snapshot {
  const ids = new Set<number>(manifest.segments.flatMap(rowIdsOf));
  // sets of documents of the whole index are rows of the segment 0
  ids.add(0);
  const changed = listRowBytes === undefined ? undefined : manifestRow(manifest, listRowBytes);
  return {
    tableNames: snapshot.tableNames,
    table(name) {
      const table = snapshot.table(name);
      if (name === TABLES.segments)
        return {
          ...table,
          range(options) {
            const kept = ofSegments(table.range(options), ids);
            return listRowBytes === undefined ? kept : withListRows(kept, listRowBytes);
          },
        };
      if (name !== TABLES.meta || changed === undefined) return table;
      return {
        ...table,
        *range(options) {
          for (const row of table.range(options)) yield isSameKey(row.key, changed.key) ? changed : row;
        },
      };
    },
  };
}

function* ofSegments(rows: Iterable<Entry>, ids: ReadonlySet<number>): Generator<Entry> {
  for (const row of rows) if (ids.has(u32At(row.key, 0))) yield row;
}

/** The row of the manifest, which says for each segment how long the rows of its lists are. */
function manifestRow(manifest: IndexManifest, rowBytes: number): Entry {
  const rows: Entry[] = [];
  const segments = manifest.segments.map((segment) => ({ ...segment, rowBytes }));
  replaceManifest({ put: (_, key, value) => void rows.push({ key, value }) }, { ...manifest, segments });
  return rows[0]!;
}

/** The same rows, but lists in rows of this length: the bytes of each part, cut again. */
function* withListRows(rows: Iterable<Entry>, rowBytes: number): Generator<Entry> {
  let first: Uint8Array | undefined;
  let bytes: Uint8Array = NO_BYTES;
  let number = 0;
  const cut = function* (isEnd: boolean): Generator<Entry> {
    let at = 0;
    for (; bytes.length - at >= rowBytes || (isEnd && at < bytes.length); at += rowBytes, number++) {
      const key = segmentKey(u32At(first!, 0) as SegmentId, first![PART_AT]!, number);
      yield { key, value: bytes.subarray(at, at + rowBytes) };
    }
    bytes = bytes.subarray(Math.min(at, bytes.length));
  };
  for (const { key, value } of rows) {
    if (first !== undefined && !isSamePart(first, key)) {
      yield* cut(true);
      first = undefined;
    }
    if (isListPart(key[PART_AT]!)) {
      if (first === undefined) [first, number] = [new Uint8Array(key), 0];
      bytes = joinedBytes([bytes, value]);
      yield* cut(false);
    } else yield { key, value };
  }
  if (first !== undefined) yield* cut(true);
}

function isSamePart(left: Uint8Array, right: Uint8Array): boolean {
  return u32At(left, 0) === u32At(right, 0) && left[PART_AT] === right[PART_AT];
}

function isSameKey(left: Uint8Array, right: Uint8Array): boolean {
  return left.length === right.length && left.every((byte, at) => byte === right[at]);
}

function u32At(bytes: Uint8Array, at: number): number {
  return new DataView(bytes.buffer, bytes.byteOffset).getUint32(at);
}
