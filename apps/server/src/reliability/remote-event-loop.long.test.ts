/**
 * While a remote of the network sends back what is as long as it may be, a search and /health are asked for again and again: none of them
 * waits for longer than the budget, and the process goes on.
 */
import { createServer, type RequestListener, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  newDatabaseFolder,
  removeFolder,
  type ServerProcess,
  startServerProcess,
} from '../e2e/server-process.test-support.js';
import { isBuilt } from './launch.test-support.js';
import { expectShortWaits } from './probe.test-support.js';
import { isLongRun, rounds } from './rounds.test-support.js';

const LIMIT_BYTES = 64 * 2 ** 20;
/** Long enough to hold up a thread for a second, or as long as an answer may be. */
const SIZE = rounds(12 * 2 ** 20, LIMIT_BYTES - 2 ** 16);

const mark =
  '"_federation":{"indexUid":"goods","queriesPosition":1,"weightedRankingScore":1,"weightedScoreValues":[ITEMS]}';
const score = '{"weightedScore":1}';
/** As many of the texts as fit, joined by commas. */
const fill = (item: (i: number) => string): string => {
  const [parts, sampleLength]: [string[], number] = [[], item(1_000_000).length + 1];
  for (let i = 0; i < Math.floor(SIZE / sampleLength); i++) parts.push(item(i));
  return parts.join(',');
};
const federated = (hits: string, rest = ''): string => `{"hits":[${hits}],"estimatedTotalHits":1${rest}}`;
const hit = (more: string, items = score): string => `{"id":9,${more}${mark.replace('ITEMS', items)}}`;

const FEDERATED = [
  '/multi-search',
  { federation: {}, queries: [{ indexUid: 'goods' }, { indexUid: 'goods', federationOptions: { remote: 'far' } }] },
] as const;
const MANY = ['/multi-search', { ...FEDERATED[1], federation: { limit: 100_000 } }] as const;
const SEARCH = ['/indexes/goods/search', { useNetwork: true }] as const;
const FACETS = ['/indexes/goods/facet-search', { facetName: 'name', useNetwork: true }] as const;
const FETCH = ['/indexes/goods/documents/fetch', { useNetwork: true, limit: 200_000 }] as const;
const SORTED = ['/indexes/goods/documents/fetch', { useNetwork: true, limit: 200_000, sort: ['id:asc'] }] as const;

type Row = readonly [name: string, asked: readonly [string, object], body: () => string, isFailure: boolean];
// in the long form, short objects are more than an answer may hold
const ROWS: readonly Row[] = [
  ['empty objects', FEDERATED, () => federated(fill(() => '{}')), true],
  ['empty lists, no JSON', FEDERATED, () => `{"hits":[${fill(() => '[]')}`, true],
  ['one string', FEDERATED, () => `"${'a'.repeat(SIZE)}"`, true],
  ['many hits', MANY, () => federated(fill((i) => hit(`"n":${i},`))), false],
  ['many hits of which few are asked for', FEDERATED, () => federated(fill((i) => hit(`"n":${i},`))), false],
  ['a hit of one long text', FEDERATED, () => federated(hit(`"text":"${'long \\n'.repeat(SIZE / 7)}",`)), false],
  ['a hit of many fields', FEDERATED, () => federated(hit(`${fill((i) => `"f${i}":${i}`)},`)), true],
  [
    'a hit of many scores',
    FEDERATED,
    () =>
      federated(
        hit(
          '',
          fill(() => score),
        ),
      ),
    isLongRun,
  ],
  [
    'many facet values',
    FEDERATED,
    () =>
      federated(
        hit(''),
        `,"facetsByIndex":{"goods":{"distribution":{"name":{${fill((i) => `"v${i}":1`)}}},"stats":{}}}`,
      ),
    true,
  ],
  [
    'a long answer to one search',
    SEARCH,
    () => federated(hit(`"text":"${'a'.repeat(SIZE)}",`).replace('Position":1', 'Position":0')),
    false,
  ],
  ['many values of a facet', FACETS, () => `{"facetHits":[${fill((i) => `{"value":"v${i}","count":1}`)}]}`, isLongRun],
  [
    'many documents',
    FETCH,
    () => `{"results":[${fill((i) => `{"id":${i},"text":"${'word '.repeat(50)}"}`)}],"total":5}`,
    false,
  ],
  [
    'many documents to be sorted',
    SORTED,
    () => `{"results":[${fill((i) => `{"id":${i},"text":"${'word '.repeat(50)}"}`)}],"total":5}`,
    false,
  ],
];

const cleanups: (() => unknown)[] = [];
let near: ServerProcess;
let answer: RequestListener;

describe.skipIf(!isBuilt)('while a remote answers with', () => {
  beforeAll(async () => {
    const folder = newDatabaseFolder();
    cleanups.push(() => removeFolder(folder));
    const open = ['--experimental-allowed-ip-networks', '127.0.0.0/8'];
    near = await startServerProcess(folder, [...open, '--search-threads', '1']);
    cleanups.push(() => near.kill());
    const far = createServer((asked, response) => {
      asked.resume().once('end', () => answer(asked, response));
    });
    await new Promise<void>((resolve) => far.listen(0, '127.0.0.1', resolve));
    cleanups.push(
      () => far.closeAllConnections(),
      () => far.close(),
    );
    await near.call('PATCH', '/experimental-features', { network: true });
    for (const uid of ['goods', 'probe']) {
      await near.call('PATCH', `/indexes/${uid}/settings`, {
        filterableAttributes: ['name'],
        sortableAttributes: ['id'],
      });
      await near.call('POST', `/indexes/${uid}/documents`, [{ id: 1, name: 'probe' }]);
    }
    const url = `http://127.0.0.1:${(far.address() as AddressInfo).port}`;
    await near.call('PATCH', '/network', { self: 'near', remotes: { far: { url } } });
    await near.allTasksDone();
  }, 120_000);
  afterAll(async () => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  });

  test.each(ROWS)('%s, nobody else waits', { timeout: 120_000 }, async (_, [path, asked], body, isFailure) => {
    const bytes = Buffer.from(body());
    expect(bytes.length).toBeGreaterThan(SIZE / 2);
    expect(bytes.length).toBeLessThan(LIMIT_BYTES);
    answer = (_asked, response) => response.end(bytes);
    let text = '';
    await expectShortWaits(near, async () => async () => {
      text = await endOf(path, asked);
    });
    expect(text.includes('"code":"remote_bad_response"'), text).toBe(isFailure);
  });

  /** Sends the search and gives the end of its answer: to keep and read all of it would hold up the probe, which is here. */
  function endOf(path: string, body: object): Promise<string> {
    return new Promise((resolve, reject) => {
      const call = request(near.url + path, { method: 'POST', headers: { 'content-type': 'application/json' } });
      call.once('error', reject).once('response', (response) => {
        let end = Buffer.alloc(0);
        expect(response.statusCode).toBe(200);
        response.on('data', (chunk: Buffer) => {
          end = Buffer.concat([end.subarray(-600), chunk.subarray(-600)]);
        });
        response.once('error', reject).once('end', () => resolve(end.toString('utf8')));
      });
      call.end(JSON.stringify(body));
    });
  }
});
