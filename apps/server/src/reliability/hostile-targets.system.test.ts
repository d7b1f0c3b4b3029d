/** Request lines and headers of all kinds: each is answered, by no fault, in the API's shape, and nothing outside of the API is reached. */
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  newDatabaseFolder,
  removeFolder,
  type ServerProcess,
  startServerProcess,
} from '../e2e/server-process.test-support.js';
import { isBuilt } from './launch.test-support.js';

const NAMES = [
  ...['%00', '..%2f..%2fetc', '%2e%2e', '..', '../..', '%c0%ae%c0%ae', '%ff%fe', '%', '%zz', 'a%0d%0ab', '%E2%80%AE'],
  ...['%F0%9F%92%A9', ';a=b', 'a?', '*', '%2a', 'CON', '.', '%20', '__proto__', 'constructor', '-', 'a'.repeat(5_000)],
];
const PLACES = [
  ...['/indexes/NAME', '/indexes/NAME/stats', '/indexes/NAME/settings', '/indexes/NAME/documents', '/tasks/NAME'],
  ...['/indexes/films/documents/NAME', '/indexes/films/settings/NAME', '/batches/NAME', '/keys/NAME', '/chats/NAME'],
  ...['/webhooks/NAME', '/chats/NAME/settings', '/dynamic-search-rules/NAME', '/NAME', '/docs/NAME', '/assets/NAME'],
];
const long = (text: string, count: number): string => text.repeat(count);
const QUERIES = [
  ...['q=%00', 'q[]=1', 'q[a]=1', 'q=1&q=2', 'limit=1e9', 'limit=-0', 'limit=0x10', '__proto__=1', '__proto__[x]=1'],
  ...[
    'constructor=1',
    'filter=%ff',
    'limit=99999999999999999999',
    'offset=9007199254740993',
    'page=-1',
    'hitsPerPage=x',
  ],
  ...[long('a=1&', 3_000), long('&', 12_000), long('q=a&', 3_000), long('=', 12_000), `q=${long('%41', 4_000)}`],
  ...[
    `q=${long('%', 12_000)}`,
    `filter=${long('(', 12_000)}`,
    `filter=${long('!', 12_000)}`,
    `sort=${long(',', 12_000)}`,
  ],
  ...[
    `attributesToRetrieve=${long(',', 12_000)}`,
    `facets=${long('*,', 6_000)}`,
    `attributesToCrop=${long('a:1,', 3_000)}`,
  ],
  ...[`uids=${long(',', 12_000)}`, `uids=${long('1,', 6_000)}`, `types=${long('*,', 6_000)}`, 'from=-1', 'statuses=*'],
  ...[`afterEnqueuedAt=${long('9', 5_000)}`, 'beforeFinishedAt=-271821-04-20', `fields=${long(',', 12_000)}`],
];
const QUERY_PLACES = [
  ...['/indexes/films/search', '/indexes/films/documents', '/indexes/films/similar', '/indexes', '/tasks', '/batches'],
  ...['/keys', '/health', '/stats', '/openapi.json', '/'],
];
const HEADERS = [
  long('Cookie: a=1\r\n', 300),
  `Accept-Encoding: ${long('gzip;q=0.1,', 1_000)}\r\n`,
  `Accept: ${long('text/html;q=0.1,', 800)}\r\n`,
  `Origin: ${long('a', 8_000)}\r\nAccess-Control-Request-Headers: ${long('b', 4_000)}\r\n`,
  `If-None-Match: ${long('"a",', 3_000)}\r\n`,
  `Range: bytes=${long('1-,', 3_000)}\r\n`,
  `Authorization: Bearer ${long('a.', 5_000)}\r\n`,
  `Authorization: ${long('Bearer ', 1_500)}\r\n`,
  `Content-Type: ${long('application/json;', 800)}\r\n`,
  `Content-Encoding: ${long('gzip,', 2_000)}\r\n`,
  'Expect: what\r\n',
  'Upgrade: websocket\r\nConnection: Upgrade\r\n',
  'Transfer-Encoding: chunked\r\n',
];

describe.skipIf(!isBuilt)('whatever is in a request line', () => {
  const folder = newDatabaseFolder();
  let server: ServerProcess;
  beforeAll(async () => {
    server = await startServerProcess(folder);
    await server.call('POST', '/indexes/films/documents', [{ id: 1, title: 'Nemo' }]);
    await server.allTasksDone();
  });
  afterAll(async () => {
    await server.kill();
    removeFolder(folder);
  });

  /** Sends requests one after another on one connection, each as soon as the one before is answered; answers status and body of each. */
  function exchange(head: string): Promise<string> {
    return new Promise((resolve, reject) => {
      let got = '';
      const socket = connect(Number(new URL(server.url).port), '127.0.0.1', () => socket.write(head));
      socket.setTimeout(120_000, () => reject(new Error(`no answer to ${head.slice(0, 100)}`)));
      socket.on('data', (bytes) => {
        got += bytes.toString('latin1');
      });
      socket.on('error', () => undefined);
      socket.on('close', () => resolve(got));
    });
  }
  async function expectAnswer(method: string, target: string, headers = ''): Promise<void> {
    const answer = await exchange(`${method} ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${headers}\r\n`);
    const said = `${method} ${target.slice(0, 80)} ${headers.slice(0, 40)}: ${answer.slice(0, 300)}`;
    const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? 0);
    expect(status, said).toSatisfy((code: number) => code >= 200 && code < 500);
    // nothing of the disk: neither a password file nor a file of this product
    expect(answer, said).not.toMatch(/root:x:0|"devDependencies"/);
    // compressed answers are not looked into, and an expectation that is not met is Node's to refuse
    const isLegible = !/content-encoding|content-length: 0\r\n/i.test(answer) && status !== 417;
    // an answer to HEAD has no body
    if (status >= 400 && isLegible && method !== 'HEAD') expect(answer, said).toContain('"code":"');
  }

  it.each(PLACES)('is answered: names in %s', async (place) => {
    for (const name of NAMES)
      for (const method of ['GET', 'DELETE', 'PATCH']) {
        if (method === 'DELETE' && name === '*') continue;
        await expectAnswer(method, place.replace('NAME', name));
      }
  });

  it.each(QUERY_PLACES)('is answered: queries of %s', async (place) => {
    for (const query of QUERIES) await expectAnswer('GET', `${place}?${query}`);
  });

  it('is answered: targets of other forms', async () => {
    for (const target of [
      ...[
        '//health',
        '/health/',
        '/./health',
        '/../health',
        'http://x/health',
        '/health#a',
        '/health?',
        '*',
        '/health%00',
      ],
      ...['\\health', '/%68ealth', '/HEALTH', '/health;x', '/docs/../../etc/passwd', '/docs/%2e%2e/%2e%2e/etc/passwd'],
      ...[
        '/assets/..%2f..%2fpackage.json',
        '/assets/../package.json',
        '/%2e%2e%2fpackage.json',
        `/${long('a/', 6_000)}`,
      ],
    ])
      for (const method of ['GET', 'HEAD', 'POST', 'OPTIONS', 'TRACE']) await expectAnswer(method, target);
  });

  it.each(
    HEADERS.map((headers) => [headers.slice(0, 30).trim(), headers] as const),
  )('is answered: headers %s', async (_, headers) => {
    for (const [method, target] of [
      ['GET', '/'],
      ['GET', '/indexes'],
      ['POST', '/indexes/films/search'],
      ['POST', '/indexes/films/documents'],
    ] as const) {
      const body = headers.startsWith('Transfer') ? '\r\n0\r\n' : method === 'POST' ? 'Content-Length: 0\r\n' : '';
      await expectAnswer(method, target, headers + body);
    }
  });

  it('has changed nothing', async () => {
    await server.allTasksDone();
    const { body } = await server.call<{ readonly results: readonly unknown[] }>('GET', '/indexes/films/documents');
    expect(body.results).toEqual([{ id: 1, title: 'Nemo' }]);
  });
});
