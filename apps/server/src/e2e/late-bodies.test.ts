import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newDatabaseFolder, removeFolder, type TestServer } from './server-process.test-support.js';
import { startTestServer } from './test-server.test-support.js';

const EVERYTHING_FILTERABLE = [
  { attributePatterns: ['*'], features: { facetSearch: true, filter: { equality: true, comparison: true } } },
];

const MASTER_KEY = 'a master key of some length';
const AUTHORIZED = `authorization: Bearer ${MASTER_KEY}\r\n`;
const JSON_TYPE = 'content-type: application/json\r\n';
const USUAL = AUTHORIZED + JSON_TYPE;
const LONG = JSON.stringify({ indexUid: 'films', q: 'nemo', filter: 'id > 0', limit: 1 });

let server: TestServer;
let folder = '';
beforeAll(async () => {
  folder = newDatabaseFolder();
  server = await startTestServer(folder, ['--master-key', MASTER_KEY, '--experimental-enable-metrics']);
  const headers = { authorization: `Bearer ${MASTER_KEY}` };
  await server.call('PATCH', '/indexes/films/settings', { filterableAttributes: EVERYTHING_FILTERABLE }, headers);
  const films = Array.from({ length: 300 }, (_, id) => ({ id, title: `Nemo ${id}`, text: 'é'.repeat(40) }));
  await server.call('POST', '/indexes/films/documents', films, headers);
  await server.allTasksDone();
});
afterAll(async () => {
  await server.stop();
  removeFolder(folder);
});

interface Answer {
  readonly status: string;
  readonly headers: readonly string[];
  readonly body: Buffer;
}
/** Sends head and body in one packet, or the body later. */
function ask(path: string, body: string, headers: string, isLate: boolean): Promise<Answer> {
  const { hostname, port } = new URL(server.url);
  const head = `POST ${path} HTTP/1.1\r\nhost: a\r\nconnection: close\r\n${headers}content-length: ${Buffer.byteLength(body)}\r\n\r\n`;
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect(Number(port), hostname)
      .on('data', (chunk: Buffer) => chunks.push(chunk))
      .once('error', reject)
      .once('end', () => {
        const all = Buffer.concat(chunks);
        const at = all.indexOf('\r\n\r\n');
        const [status = '', ...lines] = all.subarray(0, at).toString().split('\r\n');
        resolve({ status, headers: lines, body: all.subarray(at + 4) });
      });
    socket.write(isLate ? head : head + body);
    if (isLate) setTimeout(() => socket.write(body), 40);
  });
}

/** Without what is another one for each answer. */
function comparable({ status, headers, body }: Answer): object {
  const isText = !headers.some((line) => line.startsWith('content-encoding'));
  const text = body
    .toString()
    .replace(/"processingTimeMs":\d+/g, '')
    .replace(/"(requestUid|queryUid)":"[^"]+"/g, '');
  const lasting = headers.filter((line) => !/^(date|content-length):/i.test(line)).sort();
  return { status, headers: lasting, ...(isText ? { text } : {}) };
}

test.each([
  ['a search', '/indexes/films/search', '{"q":"nemo"}', USUAL],
  ['a long answer', '/indexes/films/search', '{"q":"nemo","limit":200}', USUAL],
  ['a placeholder search', '/indexes/films/search', '{}', USUAL],
  ['metadata', '/indexes/films/search', '{"q":"nemo"}', `${USUAL}meili-include-metadata: true\r\n`],
  ['an origin', '/indexes/films/search', '{"q":"nemo"}', `${USUAL}origin: http://a\r\n`],
  ['gzip', '/indexes/films/search', '{"q":"nemo"}', `${USUAL}accept-encoding: gzip\r\n`],
  ['brotli of a long answer', '/indexes/films/search', '{"limit":250}', `${USUAL}accept-encoding: gzip, br\r\n`],
  ['an encoding that is not known', '/indexes/films/search', '{}', `${USUAL}accept-encoding: zstd\r\n`],
  ['a refusal, compressed', '/indexes/films/search', '{"x":1}', `${USUAL}accept-encoding: br\r\n`],
  ['a refusal for an origin', '/indexes/films/search', '{"x":1}', `${USUAL}origin: http://a\r\n`],
  [
    'parameters of a type',
    '/indexes/films/search',
    '{}',
    `${AUTHORIZED}content-type: Application/JSON; charset=utf-8\r\n`,
  ],
  ['another type', '/indexes/films/search', '{}', `${AUTHORIZED}content-type: text/plain\r\n`],
  ['no type', '/indexes/films/search', '{}', AUTHORIZED],
  ['no key', '/indexes/films/search', '{}', JSON_TYPE],
  ['a wrong key', '/indexes/films/search', '{', `authorization: Bearer x\r\n${JSON_TYPE}`],
  ['broken JSON', '/indexes/films/search', '{"q":', USUAL],
  ['no UTF-8', '/indexes/films/search', '{"q":"\\ud800"}', USUAL],
  ['an unknown member', '/indexes/films/search', '{"querry":""}', USUAL],
  ['a wrong member', '/indexes/films/search', '{"limit":-1}', USUAL],
  ['a wrong filter', '/indexes/films/search', '{"filter":"id >"}', USUAL],
  ['an unknown index', '/indexes/others/search', '{}', USUAL],
  ['a name that none may have', '/indexes/a.b/search', '{}', USUAL],
  ['facets', '/indexes/films/facet-search', '{"facetName":"title","facetQuery":"nem"}', USUAL],
  ['no facet', '/indexes/films/facet-search', '{}', USUAL],
  ['similar documents without an embedder', '/indexes/films/similar', '{"id":1,"embedder":"a"}', USUAL],
  ['several searches', '/multi-search', `{"queries":[${LONG},${LONG}]}`, USUAL],
  ['a federation', '/multi-search', `{"federation":{},"queries":[{"indexUid":"films","q":"nemo"}]}`, USUAL],
  ['an unknown index among several', '/multi-search', '{"queries":[{"indexUid":"others"}]}', USUAL],
  ['a wrong query among several', '/multi-search', '{"queries":[{"indexUid":"films","limit":"a"}]}', USUAL],
])('%s: the same answer to a body that comes with its head and to one that comes later', async (_name, path, body, headers) => {
  const [atOnce, late] = [await ask(path, body, headers, false), await ask(path, body, headers, true)];
  expect(comparable(atOnce)).toEqual(comparable(late));
});

test('each request is counted once', async () => {
  const headers = { authorization: `Bearer ${MASTER_KEY}` };
  const counted = async (): Promise<number> => {
    const text = await (await fetch(`${server.url}/metrics`, { headers })).text();
    const line = text.split('\n').find((each) => /^meilisearch_http_requests_total.*\/search".*200/.test(each));
    return Number(line?.split(' ').at(-1) ?? 0);
  };
  const before = await counted();
  await ask('/indexes/films/search', '{}', USUAL, false);
  await ask('/indexes/films/search', '{}', USUAL, true);
  await expect.poll(counted, { timeout: 60_000 }).toBeGreaterThanOrEqual(before + 2);
  // requests answered after them are counted: these two were counted once each
  for (let i = 0; i < 3; i++) await server.call('GET', '/health');
  expect(await counted()).toBe(before + 2);
});
