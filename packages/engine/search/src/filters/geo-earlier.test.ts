import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { addition } from '@fossick/documents/addition.test-support';
import { PARTS, TABLES } from '@fossick/format';
import { openEngineReader } from '@fossick/index';
import { openEngineWriter } from '@fossick/index/writer';
import { openLmdbStore } from '@fossick/storage';
import { expect, test } from 'vitest';
import { DEFAULT_REQUEST } from '../scratch-index.test-support.js';
import { search } from '../search.js';

const SEARCH = { ...DEFAULT_REQUEST, sort: ['_geoPoint(10, 20):asc'], filter: '_geoRadius(10, 20, 400000)' };

test('segments of earlier releases, without a part for points, answer by the columns of the coordinates', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'fossick-geo-'));
  const options = { rootFolder: join(folder, 'data'), maxSearchBytes: 1 << 20 };
  try {
    const writer = openEngineWriter(options);
    const context = { isCanceled: () => false, onProgress: () => undefined, maxIndexingBytes: 64 << 20 };
    writer.createIndex('points', 'id');
    await writer.applySettings('points', [{ filterableAttributes: ['_geo'], sortableAttributes: ['_geo'] }], context);
    const documents = Array.from({ length: 200 }, (_, id) => ({
      id,
      _geo: id % 7 === 0 ? null : { lat: 10 + (id % 20) / 4, lng: 20 + ((id * 3) % 17) / 2 },
    }));
    const payloadFile = join(folder, 'documents.ndjson');
    writeFileSync(payloadFile, documents.map((one) => JSON.stringify(one)).join('\n'));
    await writer.applyDocuments('points', [addition(payloadFile)], context);
    await writer.close();
    const expected = await hitIds(options);
    expect(expected.length).toBeGreaterThan(10);
    await dropPoints(join(folder, 'data', 'indexes'));
    expect(await hitIds(options)).toEqual(expected);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

async function hitIds(options: Parameters<typeof openEngineReader>[0]): Promise<unknown[]> {
  const reader = openEngineReader(options);
  try {
    return reader.withView('points', (view) => search(view, SEARCH)).hits.map(({ id }) => id);
  } finally {
    await reader.close();
  }
}

/** Leaves the rows of the only index as an earlier release wrote them. */
async function dropPoints(indexesFolder: string): Promise<void> {
  const store = openLmdbStore({ folder: join(indexesFolder, readdirSync(indexesFolder)[0]!) });
  const keys = [...store.table(TABLES.segments).range({})]
    .map(({ key }) => key)
    .filter((key) => key[4] === PARTS.geoPoints);
  expect(keys.length).toBeGreaterThan(0);
  store.transaction((rows) => {
    for (const key of keys) rows.delete(TABLES.segments, key);
  });
  await store.close();
}
