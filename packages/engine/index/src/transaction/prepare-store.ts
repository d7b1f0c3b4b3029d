import type { DocId, SegmentId } from '@fossick/base';
import { hasRoundedNumbers, rebuildColumns } from '@fossick/columns';
import { decodeDocument, FieldNames, type JsonObject } from '@fossick/documents';
import {
  CHUNK_BYTES,
  columnsIdOf,
  documentKey,
  fieldChunk,
  PARTS,
  type RowReader,
  type RowSink,
  readFieldNames,
  readManifest,
  readSpan,
  replaceManifest,
  rowsOf,
  type SegmentInfo,
  TABLES,
  writeState,
} from '@fossick/format';
import type { Store } from '@fossick/storage';
import { upgradeSets } from '../documents/document-sets.js';
import { readSettings } from '../documents/stored-settings.js';
import { SegmentList } from './segment-list.js';
import { removeUncommitted } from './uncommitted-rows.js';

/**
 * Removes what unfinished batches left, and upgrades an index of an older release. Two reads where there is nothing to
 * do. Returns whether there was an upgrade.
 */
export function prepareStore(store: Store): boolean {
  removeUncommitted(store);
  const { docForm, numberForm } = readManifest(rowsOf(store));
  if (docForm !== 'pages') store.transaction(upgradeSets);
  if (numberForm !== 'exact') upgradeNumbers(store);
  return docForm !== 'pages' || numberForm !== 'exact';
}

/**
 * Makes the columns of an older release again that have numbers of 2^53 or more in magnitude: they are rounded there. Each segment is a
 * commit. O(columns), and O(documents) of the segments that have such numbers
 */
function upgradeNumbers(store: Store): void {
  const rows = rowsOf(store);
  const rounded = readManifest(rows).segments.filter((info) => isRounded(rows, info));
  for (const { id } of rounded) store.transaction((sink) => rebuild(sink, id));
  store.transaction((sink) => replaceManifest(sink, { ...readManifest(sink), numberForm: 'exact' }));
}

function isRounded(rows: RowReader, info: SegmentInfo): boolean {
  const segmentId = columnsIdOf(info);
  return info.facetFieldIds.some((fieldId) => {
    const place = { segmentId, part: PARTS.facetColumn, firstChunk: fieldChunk(fieldId), rowBytes: CHUNK_BYTES };
    return hasRoundedNumbers({ read: (from, to, take) => readSpan(rows, place, from, to, take) });
  });
}

function rebuild(rows: RowSink, segmentId: SegmentId): void {
  const manifest = readManifest(rows);
  const settings = readSettings(rows);
  const fields = new FieldNames(readFieldNames(rows));
  const fieldCount = fields.count;
  const segments = new SegmentList(rows, manifest);
  const document = (docId: DocId): JsonObject | undefined => {
    const bytes = rows.get(TABLES.documents, documentKey(docId));
    return bytes === undefined ? undefined : decodeDocument(bytes, fields.list);
  };
  const steps = segments.rebuildColumns(
    manifest,
    (columnsId, docIds) => rebuildColumns(rows, columnsId, docIds, { settings, fields, document }),
    ({ id }) => id === segmentId,
  );
  for (const _ of steps);
  writeState(rows, {
    manifest: {
      ...manifest,
      segments: segments.infos,
      nextSegmentId: segments.nextId,
      obsolete: segments.deleteObsolete(),
    },
    fieldNames: fields.count === fieldCount ? undefined : fields.list,
  });
}
