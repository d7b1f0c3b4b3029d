import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newDatabaseFolder, removeFolder, type TestServer } from '../e2e/server-process.test-support.js';
import { startTestServer } from '../e2e/test-server.test-support.js';
import { InstanceMetrics } from './instance-metrics.js';
import type { MetricsContext } from './metrics-context.js';

const DASHBOARD_FILE = fileURLToPath(new URL('../../../../docs/operations/grafana/dashboard.json', import.meta.url));

/** Every series with its labels. */
const SERIES: Readonly<Record<string, readonly string[]>> = {
  http_requests_total: ['method', 'path', 'status'],
  http_response_time_seconds: ['method', 'path'],
  degraded_search_requests: [],
  personalized_search_requests: [],
  db_size_bytes: [],
  used_db_size_bytes: [],
  index_count: [],
  index_docs_count: ['index'],
  nb_tasks: ['kind', 'value'],
  last_update: [],
  is_indexing: [],
  search_queue_size: [],
  searches_running: [],
  searches_waiting_to_be_processed: [],
  task_queue_latency_seconds: [],
  task_queue_max_size: [],
  task_queue_used_size: [],
  task_queue_size_until_stop_registering: [],
  batch_running_progress_trace: ['batch_uid', 'step_name'],
  last_finished_batches_progress_trace_ms: ['batch_uid', 'step_name'],
  last_indexed_documents_count: ['batch_uid', 'index'],
  last_indexed_documents_duration_ms: ['batch_uid', 'index'],
};
/** Has no rows but while a batch runs. */
const WITHOUT_ROWS = /^batch_running/;

let server: TestServer;
let folder = '';
let text = '';
beforeAll(async () => {
  folder = newDatabaseFolder();
  server = await startTestServer(folder, ['--experimental-enable-metrics']);
  await server.call('POST', '/indexes/films/documents', [
    { id: 1, title: 'Nemo' },
    { id: 2, title: 'Jaws' },
  ]);
  await server.allTasksDone();
  await server.call('POST', '/indexes/films/search', { q: 'nemo' });
  text = await (await fetch(`${server.url}/metrics`)).text();
});
afterAll(async () => {
  await server.stop();
  removeFolder(folder);
});

function finishedBatch(uid: number): object {
  const stats = {
    totalNbTasks: 1,
    status: {},
    types: {},
    indexUids: { films: 1 },
    progressTrace: { 'a step': '1.00ms' },
  };
  return { uid, details: {}, stats, startedAt: 0, finishedAt: 1_000, strategy: '' };
}

/** Value of a series whose labels contain these. */
function valueOfSeries(name: string, labels: Readonly<Record<string, string>> = {}): number {
  const wanted = Object.entries(labels).map(([key, value]) => `${key}="${value}"`);
  const line = text
    .split('\n')
    .find((each) => new RegExp(`^meilisearch_${name}[ {]`).test(each) && wanted.every((part) => each.includes(part)));
  return Number(line?.split(' ').at(-1));
}

describe('/metrics', () => {
  it.each(Object.entries(SERIES))('%s is there with its labels', (name, labels) => {
    expect(text).toContain(`# TYPE meilisearch_${name} `);
    if (WITHOUT_ROWS.test(name)) return;
    const rows = text
      .split('\n')
      .filter((line) => new RegExp(`^meilisearch_${name}(_bucket|_sum|_count)?[ {]`).test(line));
    expect(rows.length).toBeGreaterThan(0);
    for (const label of labels) expect(rows[0]).toContain(`${label}="`);
  });
  it('says what was done', () => {
    expect(valueOfSeries('index_docs_count', { index: 'films' })).toBe(2);
    expect(valueOfSeries('nb_tasks', { kind: 'statuses', value: 'succeeded' })).toBe(1);
    expect(
      valueOfSeries('http_requests_total', { method: 'POST', path: '/indexes/:indexUid/search', status: '200' }),
    ).toBe(1);
    expect(valueOfSeries('search_queue_size')).toBe(1000);
    expect(valueOfSeries('last_indexed_documents_count', { batch_uid: '0', index: 'films' })).toBe(2);
    expect(valueOfSeries('last_indexed_documents_duration_ms', { batch_uid: '0' })).toBeGreaterThanOrEqual(0);
    expect(
      valueOfSeries('last_finished_batches_progress_trace_ms', { batch_uid: '0', step_name: 'processing tasks' }),
    ).toBeGreaterThan(0);
    expect(valueOfSeries('task_queue_size_until_stop_registering')).toBeLessThan(valueOfSeries('task_queue_max_size'));
    expect(valueOfSeries('degraded_search_requests')).toBe(0);
  });
  it('counts searches that their time limit ended', async () => {
    await server.call('PUT', '/indexes/films/settings/search-cutoff-ms', 0);
    await server.allTasksDone();
    await server.call('POST', '/indexes/films/search', { q: 'jaws' });
    text = await (await fetch(`${server.url}/metrics`)).text();
    expect(valueOfSeries('degraded_search_requests')).toBe(1);
  });
  it('is made once for all who ask while it is made, and tells what was done before they asked', async () => {
    const registry = new InstanceMetrics();
    const batches = new Map([[7, finishedBatch(7)]]);
    let [sizeCount, readCount, documents] = [0, 0, 1];
    const context = {
      options: { searchQueueCapacity: 1 },
      engine: {
        size: () => ({ diskBytes: 0, usedBytes: sizeCount++ }),
        indexes: () => Array.from({ length: 500 }, (_, i) => ({ uid: `i${i}`, updatedAt: '2026-01-01T00:00:00Z' })),
        index: () => ({}),
        stats: () => ({ numberOfDocuments: documents }),
      },
      tasks: {
        kinds: [],
        count: () => 0,
        list: () => ({ results: [] }),
        listBatchUids: () => ({ results: [...batches.keys()] }),
        getBatch: (uid: number) => {
          readCount += 1;
          return batches.get(uid);
        },
      },
      searches: { waitingCount: 0 },
      searchers: { runningCount: 0, waitingCount: 0 },
      counts: { degraded: 0 },
      writer: { progress: () => null },
      storeSize: () => ({ diskBytes: 0, usedBytes: 0 }),
    } as unknown as MetricsContext;
    // loads the library of the series
    await registry.text(context);
    const first = registry.text(context);
    let turnCount = 0;
    const count = (): void => {
      turnCount += 1;
      timer = setImmediate(count);
    };
    let timer = setImmediate(count);
    await new Promise((resolve) => setImmediate(resolve));
    documents = 2;
    const others = await Promise.all(Array.from({ length: 100 }, () => registry.text(context)));
    clearImmediate(timer);
    expect(await first).toContain('meilisearch_index_docs_count{index="i0"} 1');
    for (const other of others) expect(other).toContain('meilisearch_index_docs_count{index="i499"} 2');
    expect(others[0]).toContain('last_finished_batches_progress_trace_ms{batch_uid="7",step_name="a step"}');
    expect({ sizeCount, readCount }).toEqual({ sizeCount: 3, readCount: 1 });
    expect(turnCount).toBeGreaterThan(10);
  });
  it('has every series that the dashboard of docs/operations/grafana shows', () => {
    const dashboard = readFileSync(DASHBOARD_FILE, 'utf8');
    // those of conversations are asked for in the tests of their extension
    const series = /meilisearch_(?!chat_)([a-z_]+?)(?:_bucket)?(?=[{,)\] ])/g;
    const names = [...dashboard.matchAll(series)].map(([, name]) => name!);
    expect(names.length).toBeGreaterThan(20);
    for (const name of new Set(names)) expect(text).toContain(`# TYPE meilisearch_${name} `);
  });
});
