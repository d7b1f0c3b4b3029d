import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decodeDocument, encodeDocument, FieldNames } from '@fossick/documents';
import { addition } from '@fossick/documents/addition.test-support';
import { PARTS, readFieldNames, readManifest, replaceManifest, rowsOf, TABLES } from '@fossick/format';
import { openEngineReader } from '@fossick/index';
import { openEngineWriter } from '@fossick/index/writer';
import { openLmdbStore } from '@fossick/storage';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { DEFAULT_REQUEST } from '../scratch-index.test-support.js';
import { search } from '../search.js';

const FIRST = 4223372036854775805n;
const context = { isCanceled: () => false, onProgress: () => undefined, maxIndexingBytes: 64 << 20 };
const add = (payloadFile: string) => [addition(payloadFile)];
let folder: string;
let options: { readonly rootFolder: string; readonly maxSearchBytes: number };

/** An index as an earlier release wrote it: integers in documents, the nearest floats in columns. */
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'fossick-numbers-'));
  options = { rootFolder: join(folder, 'data'), maxSearchBytes: 1 << 20 };
  const writer = openEngineWriter(options);
  for (const [uid, numbers] of [
    ['wide', ['4.223372036854776e18', '4.223372036854776e18', '4.223372036854776e18']],
    ['small', ['1', '2', '3']],
  ] as const) {
    writer.createIndex(uid, 'id');
    await writer.applySettings(uid, [{ filterableAttributes: ['n', 'm'], sortableAttributes: ['n'] }], context);
    const payloadFile = join(folder, `${uid}.ndjson`);
    writeFileSync(payloadFile, numbers.map((text, at) => `{"id":${at + 1},"n":${text},"m":[7]}`).join('\n'));
    await writer.applyDocuments(uid, add(payloadFile), context);
  }
  await writer.close();
  for (const name of readdirSync(join(options.rootFolder, 'indexes'))) await makeOlder(name);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function makeOlder(name: string): Promise<void> {
  const indexFolder = join(options.rootFolder, 'indexes', name);
  rmSync(join(indexFolder, 'summary.json'), { force: true });
  const store = openLmdbStore({ folder: indexFolder });
  const names = readFieldNames(rowsOf(store));
  const documents = [...store.table(TABLES.documents).range({})];
  const columns = [...store.table(TABLES.segments).range({})].filter(({ key }) => key[4] === PARTS.facetColumn);
  store.transaction((rows) => {
    for (const { key, value } of documents) {
      const document = decodeDocument(value, names);
      if (Number(document['n']) > 3) document['n'] = FIRST + BigInt(Number(document['id'])) - 1n;
      rows.put(TABLES.documents, key, encodeDocument(document, new FieldNames(names)));
    }
    for (const { key, value } of columns) {
      const older = Uint8Array.from(value);
      new DataView(older.buffer).setUint32(13 * 4, 0, true); // the number of rests
      rows.put(TABLES.segments, key, older);
    }
    const { numberForm: _, ...manifest } = readManifest(rows);
    replaceManifest(rows, manifest);
  });
  await store.close();
}

async function idsOf(filter: string, uid = 'wide'): Promise<unknown[]> {
  const reader = openEngineReader(options);
  try {
    return reader.withView(uid, (view) => search(view, { ...DEFAULT_REQUEST, filter })).hits.map(({ id }) => id);
  } finally {
    await reader.close();
  }
}

test('an index of an earlier release answers as it did, and exactly once idle time has upgraded it', async () => {
  expect(await idsOf(`n = ${FIRST + 1n}`)).toEqual([1, 2, 3]);
  const writer = openEngineWriter(options);
  const due = [...writer.mergesDue()];
  expect(due.sort()).toEqual(['small', 'wide']);
  for (const uid of due) while (await writer.mergeOnce(uid!));
  expect([...writer.mergesDue()]).toEqual([null, null]);
  await writer.close();
  expect(await idsOf(`n = ${FIRST + 1n}`)).toEqual([2]);
  expect(await idsOf(`n > ${FIRST}`)).toEqual([2, 3]);
  expect(await idsOf('m = 7')).toEqual([1, 2, 3]);
  expect(await idsOf('n >= 2', 'small')).toEqual([2, 3]);
  const again = openEngineWriter(options);
  expect([...again.mergesDue()]).toEqual([null, null]);
  await again.close();
});

test('a batch upgrades the index first, so that its segments are merged with exact ones', async () => {
  const writer = openEngineWriter(options);
  const payloadFile = join(folder, 'more.ndjson');
  writeFileSync(payloadFile, `{"id":4,"n":${FIRST + 1n}}\n{"id":3,"n":5}`);
  await writer.applyDocuments('wide', add(payloadFile), context);
  expect(await idsOf(`n = ${FIRST + 1n}`)).toEqual([2, 4]);
  while (await writer.mergeOnce('wide'));
  await writer.close();
  expect(await idsOf(`n = ${FIRST + 1n}`)).toEqual([2, 4]);
  expect(await idsOf(`n = ${FIRST}`)).toEqual([1]);
  expect(await idsOf(`n = ${FIRST + 2n}`)).toEqual([]);
});
