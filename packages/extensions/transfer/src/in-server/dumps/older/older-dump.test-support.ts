import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { OlderVersion } from '../../../dumps/older/older-version.js';

const UUID = '0f4a3c1e-5a53-4b0a-9a55-3d1f9a1c2b01';
const OTHER_UUID = '0f4a3c1e-5a53-4b0a-9a55-3d1f9a1c2b02';
const PAYLOAD = '7d9b3f5a-0000-4000-8000-00000000000a';
export const INSTANCE_UID = '33333333-3333-4333-8333-333333333333';

const DOCUMENTS = [
  { id: 1, title: 'Harbour', genres: ['Drama'], year: 1950 },
  { id: 2, title: 'Lighthouse', genres: ['Crime'], year: 1960 },
];
const SETTINGS = {
  displayedAttributes: ['*'],
  searchableAttributes: ['title'],
  filterableAttributes: ['genres'],
  rankingRules: ['words', 'typo', 'proximity', 'attribute', 'sort', 'exactness', 'year:desc'],
  stopWords: ['the'],
  synonyms: { port: ['harbour'] },
  distinctAttribute: null,
};
const at = (second: number): string => `2022-10-04T15:51:${String(second).padStart(2, '0')}.123456789Z`;

type Content = Readonly<Record<string, unknown>> | readonly unknown[] | string;
/** Files of a dump by their path; a list is written as one JSON text per line. */
export type DumpFiles = Readonly<Record<string, Content>>;

/**
 * A dump as written by the releases of that format: the index `films` with two documents, created by a task that
 * succeeded, a task that failed, and, from V2 on, an index without documents and a waiting addition of one document to
 * it.
 */
export function olderDump(version: OlderVersion): DumpFiles {
  if (version === 'V1') return dumpV1();
  return version === 'V2' || version === 'V3' ? dumpOfUpdates(version) : dumpOfTasks(version);
}

/** Writes them below `folder`. */
export function writeDumpFiles(folder: string, files: DumpFiles): void {
  for (const [path, content] of Object.entries(files)) {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    const lines = Array.isArray(content) ? content.map((line) => `${JSON.stringify(line)}\n`).join('') : undefined;
    writeFileSync(file, lines ?? (typeof content === 'string' ? content : JSON.stringify(content)));
  }
}

function metadata(dumpVersion: OlderVersion): Content {
  return { dumpVersion, dbVersion: '0.2x', indexDbSize: 1, updateDbSize: 1, dumpDate: at(59) };
}

function dumpV1(): DumpFiles {
  const { filterableAttributes, rankingRules: _rules, ...settings } = SETTINGS;
  const rankingRules = ['typo', 'words', 'proximity', 'attribute', 'wordsPosition', 'exactness', 'desc(year)'];
  const unchanged = { searchable_attributes: 'Nothing', displayed_attributes: 'Clear', primary_key: 'Nothing' };
  const change = {
    ...unchanged,
    ranking_rules: { Update: ['Typo', 'WordsPosition', { Desc: 'year' }] },
    attributes_for_faceting: { Update: ['genres'] },
  };
  return {
    'metadata.json': {
      indexes: [{ name: 'films', uid: 'films', createdAt: at(1), updatedAt: at(2), primaryKey: 'id' }],
      dbVersion: '0.20.0',
      dumpVersion: 'V1',
    },
    'films/settings.json': { ...settings, rankingRules, attributesForFaceting: filterableAttributes },
    'films/documents.jsonl': DOCUMENTS,
    'films/updates.jsonl': [
      updateV1(0, 'processed', { name: 'DocumentsAddition', number: 2 }),
      updateV1(1, 'processed', { name: 'Settings', settings: change }),
      { ...updateV1(2, 'failed', { name: 'ClearAll' }), error: 'no', errorCode: 'internal', errorType: 'x' },
      updateV1(3, 'enqueued', { name: 'DocumentsAddition', number: 1 }),
    ],
  };
}
function updateV1(updateId: number, status: string, type: object): object {
  return { status, updateId, type, duration: 0.5, enqueuedAt: at(2), processedAt: at(4) };
}

function dumpOfUpdates(version: 'V2' | 'V3'): DumpFiles {
  const isV2 = version === 'V2';
  const rankingRules = isV2 ? ['words', 'typo', 'desc(year)'] : SETTINGS.rankingRules;
  const folderOf = (uuid: string): string => `indexes/${isV2 ? 'index-' : ''}${uuid}`;
  const addition = (primary_key: string | null): object =>
    isV2
      ? { type: 'DocumentsAddition', method: 'ReplaceDocuments', format: 'Json', primary_key }
      : { DocumentAddition: { primary_key, method: 'ReplaceDocuments', content_uuid: PAYLOAD } };
  const failure = isV2
    ? { error: { message: 'missing primary key', errorCode: 'missing_primary_key' } }
    : { msg: 'missing primary key', code: 'MissingPrimaryKey' };
  const over = { enqueuedAt: at(2), startedProcessingAt: at(3) };
  return {
    'metadata.json': metadata(version),
    'index_uuids/data.jsonl': [
      { uuid: UUID, uid: 'films' },
      { uuid: OTHER_UUID, uid: 'books' },
    ],
    [`${folderOf(UUID)}/meta.json`]: { settings: { ...SETTINGS, rankingRules }, primary_key: 'id' },
    [`${folderOf(UUID)}/documents.jsonl`]: DOCUMENTS,
    [`${folderOf(OTHER_UUID)}/meta.json`]: { settings: SETTINGS, primary_key: null },
    [`${folderOf(OTHER_UUID)}/documents.jsonl`]: '',
    'updates/data.jsonl': [
      {
        uuid: OTHER_UUID,
        update: { status: 'enqueued', updateId: 0, meta: addition(null), enqueuedAt: at(9), content: PAYLOAD },
      },
      {
        uuid: UUID,
        update: { ...over, status: 'failed', updateId: 0, meta: addition(null), ...failure, failedAt: at(4) },
      },
      {
        uuid: UUID,
        update: {
          ...{ ...over, status: 'processed', updateId: 1, meta: addition('id'), processedAt: at(5) },
          success: { DocumentsAddition: { nb_documents: 2 } },
        },
      },
    ],
    ...(isV2
      ? { [`updates/update_files/update_${PAYLOAD}`]: '[\n  { "id": "b", "pages": 9007199254740993 }\n]' }
      : { [`updates/updates_files/${PAYLOAD}`]: '{"id":"b","pages":9007199254740993}\n' }),
  };
}

function dumpOfTasks(version: 'V4' | 'V5'): DumpFiles {
  const isV5 = version === 'V5';
  const key = { actions: ['search'], indexes: ['films'], expires_at: null, created_at: at(1), updated_at: at(1) };
  const task = (id: number, index_uid: string, name: string, members: object, events: readonly unknown[]): object =>
    isV5
      ? { id, content: { [name]: { index_uid, ...members } }, events }
      : { id, index_uid, content: { [name]: members }, events };
  const addition = { merge_strategy: 'ReplaceDocuments', primary_key: null, allow_index_creation: true };
  const began = [{ Created: at(2) }, { Batched: { timestamp: at(3), batch_id: 1 } }, { Processing: at(3) }];
  const success = isV5 ? 'Succeeded' : 'Succeded';
  const failure = { message: 'no id', code: 'primary_key_inference_failed', type: 'invalid_request', link: '' };
  const content = { ...addition, content_uuid: PAYLOAD, documents_count: 1 };
  const done = { [success]: { result: { DocumentAddition: { indexed_documents: 2 } }, timestamp: at(5) } };
  return {
    'metadata.json': metadata(version),
    'instance-uid': INSTANCE_UID,
    keys: [
      {
        ...key,
        description: 'films only',
        ...(isV5 ? { name: 'films', uid: PAYLOAD } : { id: [65, 66, 67, 68, 69, 70, 71, 72] }),
      },
      { ...key, actions: ['dumps.get'], ...(isV5 ? { uid: UUID } : { id: [1, 2, 3, 4, 5, 6, 7, 8] }) },
    ],
    'index_uuids/data.jsonl': [
      { uid: 'films', index_meta: { uuid: UUID, creation_task_id: 0 } },
      { uid: 'books', index_meta: { uuid: OTHER_UUID, creation_task_id: 2 } },
    ],
    [`indexes/${UUID}/meta.json`]: { settings: SETTINGS, primary_key: 'id' },
    [`indexes/${UUID}/documents.jsonl`]: DOCUMENTS,
    [`indexes/${OTHER_UUID}/meta.json`]: { settings: SETTINGS, primary_key: null },
    [`indexes/${OTHER_UUID}/documents.jsonl`]: '',
    // newest first, as those releases wrote them
    'updates/data.jsonl': [
      ...(isV5 ? [{ id: 4, content: { Dump: { uid: '20221004-155159123' } }, events: began }] : []),
      task(3, 'books', 'DocumentAddition', content, [{ Created: at(9) }]),
      task(2, 'books', 'IndexCreation', { primary_key: null }, [
        ...began,
        { [success]: { result: 'Other', timestamp: at(4) } },
      ]),
      task(1, 'films', 'DocumentAddition', { ...content, documents_count: 7 }, [
        ...began,
        { Failed: { error: failure, timestamp: at(4) } },
      ]),
      task(0, 'films', 'DocumentAddition', { ...content, documents_count: 2 }, [...began, done]),
    ],
    [`updates/updates_files/${PAYLOAD}`]: '{"id":"b","pages":9007199254740993}\n',
  };
}
