import { createServer, type IncomingHttpHeaders } from 'node:http';
import { type AddressInfo, createConnection } from 'node:net';
import { newDatabaseFolder, removeFolder, type TestServer } from '@fossick/server/e2e/server-process.test-support';
import { startTestServer } from '@fossick/server/e2e/test-server.test-support';
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type Collector, sentTo, startCollector, type TakenSpan } from '../collector.test-support.js';

const MASTER_KEY = 'a master key of an inn';
const TRACE = '0af7651916cd43dd8448eb211c80319c';
const CALLER = 'b7ad6b7169203331';
const PARENT = `00-${TRACE}-${CALLER}-01`;
const SERVER = 2;

/** A server whose process has these variables while it starts. */
async function startTraced(options: readonly string[], env: Readonly<Record<string, string>>): Promise<TestServer> {
  const before = Object.fromEntries(Object.keys(env).map((name) => [name, process.env[name]]));
  Object.assign(process.env, env);
  const folder = newDatabaseFolder();
  try {
    const server = await startTestServer(folder, ['--master-key', MASTER_KEY, '--traces', ...options]);
    return {
      ...server,
      async stop() {
        const code = await server.stop();
        removeFolder(folder);
        return code;
      },
    };
  } finally {
    for (const [name, value] of Object.entries(before))
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
  }
}

let collector: Collector;
let server: TestServer;
beforeAll(async () => {
  collector = await startCollector();
  server = await startTraced(['--experimental-allowed-ip-networks', '127.0.0.0/8'], {
    ...sentTo(collector.url),
    OTEL_SERVICE_NAME: 'inn search',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
  });
  await ask('POST', '/indexes', { uid: 'films', primaryKey: 'id' });
  await ask('POST', '/indexes/films/documents', [{ id: 'secretid', title: 'Secretfilm' }]);
  await ask('PUT', '/indexes/films/settings/filterable-attributes', ['title']);
  await server.allTasksDone();
});
afterAll(async () => {
  await server.stop();
  await collector.close();
});

/** Over a connection, unlike `call`; each request has an agent of its own, by which its span is found. */
let asked = 0;
async function ask(
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<{ status: number; body: unknown; span: () => Promise<TakenSpan> }> {
  const agent = `asker ${asked++}`;
  const answer = await fetch(`${server.url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${MASTER_KEY}`,
      'user-agent': agent,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  return {
    status: answer.status,
    body: text === '' ? undefined : JSON.parse(text),
    span: async () => (await collector.until(({ attributes }) => attributes['user_agent.original'] === agent))[0]!,
  };
}
const timesOf = ({ startTimeUnixNano, endTimeUnixNano }: TakenSpan): [bigint, bigint] => [
  BigInt(startTimeUnixNano),
  BigInt(endTimeUnixNano),
];

test('a request is a span of the trace of its caller, and its search is one within', async () => {
  const span = await (
    await ask('POST', '/indexes/films/search', { q: 'secretquery' }, { traceparent: PARENT, tracestate: 'a=1,b=2' })
  ).span();
  expect(span).toMatchObject({
    traceId: TRACE,
    parentSpanId: CALLER,
    traceState: 'a=1,b=2',
    name: 'POST /indexes/:indexUid/search',
    kind: SERVER,
    status: { code: 0 },
    attributes: {
      'http.request.method': 'POST',
      'http.route': '/indexes/:indexUid/search',
      'http.response.status_code': 200,
      'url.path': '/indexes/films/search',
      'url.scheme': 'http',
      'network.protocol.version': '1.1',
    },
    resource: {
      'service.name': 'inn search',
      'deployment.environment.name': 'test',
      'telemetry.sdk.language': 'nodejs',
    },
  });
  const [search] = await collector.until(({ parentSpanId }) => parentSpanId === span.spanId);
  expect(search).toMatchObject({
    traceId: TRACE,
    name: 'search',
    attributes: { 'fossick.index': 'films', 'fossick.search.hits': 0 },
  });
  const [[start, end], [searchStart, searchEnd]] = [timesOf(span), timesOf(search!)];
  expect(start <= searchStart && searchStart <= searchEnd && searchEnd <= end).toBe(true);
});

test('a long text is cut', async () => {
  const path = `/indexes/${'x'.repeat(5_000)}`;
  expect((await (await ask('GET', path)).span()).attributes['url.path']).toHaveLength(2_048);
});

test('each query of a multi-search is a span', async () => {
  const queries = [
    { indexUid: 'films', q: 'a' },
    { indexUid: 'films', q: 'secretfilm' },
  ];
  const span = await (await ask('POST', '/multi-search', { queries })).span();
  const searches = await collector.until(({ parentSpanId }) => parentSpanId === span.spanId, 2);
  expect(searches.map(({ attributes }) => attributes['fossick.search.hits']).sort()).toEqual([0, 1]);
});

describe('a request that asks another instance', () => {
  /** The headers of what a remote is asked, which it answers or refuses. */
  async function sentAlong(send: () => Promise<unknown>): Promise<IncomingHttpHeaders[]> {
    const taken: IncomingHttpHeaders[] = [];
    const other = createServer((request, response) => {
      taken.push(request.headers);
      request.resume().once('end', () => response.writeHead(400).end('{}'));
    });
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
    await ask('PATCH', '/experimental-features', { network: true });
    await ask('PATCH', '/network', { self: 'here', remotes: { here: { url: server.url }, there: { url } } });
    await send();
    other.close();
    return taken;
  }
  const there = { indexUid: 'films', q: 'a', federationOptions: { remote: 'there' } };
  const REQUESTS: readonly (readonly [what: string, method: string, path: string, body: object | undefined])[] = [
    ['a federated search', 'POST', '/multi-search', { federation: {}, queries: [there] }],
    ['a search of the network', 'POST', '/indexes/films/search', { q: 'a', useNetwork: true }],
    ['one of several', 'POST', '/multi-search', { queries: [{ indexUid: 'films', q: 'a', useNetwork: true }] }],
    ['a page of documents', 'POST', '/indexes/films/documents/fetch', { useNetwork: true }],
    ['a document', 'GET', '/indexes/films/documents/elsewhere?useNetwork=true', undefined],
    ['values of a facet', 'POST', '/indexes/films/facet-search', { facetName: 'title', useNetwork: true }],
  ];

  test.each(REQUESTS)('tells it of its span: %s', async (_, method, path, body) => {
    const taken: Awaited<ReturnType<typeof ask>>[] = [];
    const headers = await sentAlong(async () =>
      taken.push(await ask(method, path, body, { traceparent: PARENT, tracestate: 'a=1' })),
    );
    const { spanId } = await taken[0]!.span();
    expect(headers.map(({ traceparent, tracestate }) => [traceparent, tracestate])).toEqual([
      [`00-${TRACE}-${spanId}-01`, 'a=1'],
    ]);
  });

  test('tells it that its trace is not sampled', async () => {
    const [, method, path, body] = REQUESTS[0]!;
    const headers = await sentAlong(() => ask(method, path, body, { traceparent: `00-${TRACE}-${CALLER}-00` }));
    expect(headers.map(({ traceparent }) => traceparent)).toEqual([
      expect.stringMatching(new RegExp(`^00-${TRACE}-[0-9a-f]{16}-00$`)),
    ]);
  });
});

describe('the header traceparent', () => {
  test.each([
    ['of a version to come, with more parts', `cc-${TRACE}-${CALLER}-01-what-comes`],
    ['with unknown flags', `00-${TRACE}-${CALLER}-09`],
  ])('%s is taken', async (_, traceparent) => {
    expect(await (await ask('GET', '/health', undefined, { traceparent })).span()).toMatchObject({
      traceId: TRACE,
      parentSpanId: CALLER,
    });
  });

  test.each([
    ['empty', ''],
    ['a word', 'trace'],
    ['of the version that is none', `ff-${TRACE}-${CALLER}-01`],
    ['with more parts than its version has', `00-${TRACE}-${CALLER}-01-more`],
    ['in capitals', `00-${TRACE.toUpperCase()}-${CALLER}-01`],
    ['with a trace of zeros', `00-${'0'.repeat(32)}-${CALLER}-01`],
    ['with a parent of zeros', `00-${TRACE}-${'0'.repeat(16)}-01`],
    ['with a short trace', `00-${TRACE.slice(1)}-${CALLER}-01`],
    ['with a long parent', `00-${TRACE}-${CALLER}0-01`],
    ['without flags', `00-${TRACE}-${CALLER}`],
    ['twice', `${PARENT}, ${PARENT}`],
    ['very long', `00-${TRACE}-${CALLER}-01${'-x'.repeat(3000)}`],
  ])('that is %s begins a trace of its own', async (_, traceparent) => {
    const asking = await ask('GET', '/health', undefined, { traceparent, tracestate: 'a=1' });
    expect(asking.status).toBe(200);
    const span = await asking.span();
    expect(span.traceId).toMatch(/^(?!0{32})[0-9a-f]{32}$/);
    expect(span.traceId).not.toBe(TRACE);
    expect(span.parentSpanId ?? '').toBe('');
    expect(span.traceState ?? '').toBe('');
  });

  test('with a tracestate that is no list keeps its trace', async () => {
    const headers = { traceparent: PARENT, tracestate: `=,${'x'.repeat(2000)}` };
    const span = await (await ask('GET', '/health', undefined, headers)).span();
    expect(span).toMatchObject({ traceId: TRACE, parentSpanId: CALLER });
    expect(span.traceState ?? '').toBe('');
  });

  test('of a trace that is not sampled sends nothing', async () => {
    await ask('GET', '/version', undefined, { traceparent: `00-${'ab'.repeat(16)}-${CALLER}-00` });
    await (await ask('GET', '/health')).span();
    expect(collector.spans().filter(({ traceId }) => traceId === 'ab'.repeat(16))).toEqual([]);
  });
});

test('a refused request tells its status, and only faults of the server are errors', async () => {
  const refused = await (await ask('GET', '/indexes/none')).span();
  expect(refused).toMatchObject({ status: { code: 0 }, attributes: { 'http.response.status_code': 404 } });
  expect(refused.attributes).not.toHaveProperty('error.type');
  const unknown = await (await ask('GET', '/nowhere/secretpath')).span();
  expect(unknown).toMatchObject({ name: 'GET', attributes: { 'url.path': '/REDACTED' } });
  expect(unknown.attributes).not.toHaveProperty('http.route');
});

test('an unknown method is one of the others', async () => {
  const span = await (await ask('PROPFIND', '/indexes')).span();
  expect(span).toMatchObject({
    name: 'HTTP',
    attributes: { 'http.request.method': '_OTHER', 'http.request.method_original': 'PROPFIND' },
  });
});

test('a request whose client leaves has no status', async () => {
  const socket = createConnection(Number(new URL(server.url).port), '127.0.0.1');
  const head = `POST /indexes/films/documents HTTP/1.1\r\nhost: localhost\r\nuser-agent: leaver\r\nauthorization: Bearer ${MASTER_KEY}\r\n`;
  socket.write(`${head}content-type: application/json\r\ncontent-length: 100\r\n\r\n[`, () => socket.resetAndDestroy());
  const [span] = await collector.until(({ attributes }) => attributes['user_agent.original'] === 'leaver');
  expect(span).toMatchObject({ attributes: { 'error.type': 'client_left' }, status: { code: 2 } });
  expect(span!.attributes).not.toHaveProperty('http.response.status_code');
});

describe('a batch', () => {
  const batchOf = async (taskUid: number) => {
    await server.allTasksDone();
    const task = await ask('GET', `/tasks/${taskUid}`);
    const { batchUid } = task.body as { batchUid: number };
    return (await collector.until(({ attributes }) => attributes['fossick.batch'] === batchUid))[0]!;
  };

  test('is a span with links to the requests of its tasks', async () => {
    const asked = await ask('POST', '/indexes/films/documents', [{ id: 2 }], { traceparent: PARENT });
    const batch = await batchOf((asked.body as { taskUid: number }).taskUid);
    const request = await asked.span();
    expect(batch).toMatchObject({
      name: 'batch documentAdditionOrUpdate',
      attributes: {
        'fossick.batch.tasks': 1,
        'fossick.batch.types': ['documentAdditionOrUpdate'],
        'fossick.batch.indexes': ['films'],
        'fossick.batch.succeeded': 1,
        'fossick.batch.failed': 0,
      },
      status: { code: 0 },
    });
    expect(batch.links).toMatchObject([{ traceId: TRACE, spanId: request.spanId }]);
    expect(batch.traceId).not.toBe(TRACE);
    const [start, end] = timesOf(batch);
    expect(start <= end).toBe(true);
  });

  test('names the code of the error of its task', async () => {
    const asked = await ask('DELETE', '/indexes/nothing');
    expect(await batchOf((asked.body as { taskUid: number }).taskUid)).toMatchObject({
      name: 'batch indexDeletion',
      attributes: { 'fossick.batch.failed': 1, 'error.type': 'index_not_found' },
      status: { code: 2 },
    });
  });
});

test('texts, ids and keys are in no span', async () => {
  const { body } = await ask('POST', '/keys', { actions: ['search'], indexes: ['films'], expiresAt: null });
  const { key } = body as { key: string };
  const spans = await Promise.all(
    [
      await ask('GET', '/indexes/films/search?q=secretquery&filter=secretfilter'),
      await ask('GET', '/indexes/films/documents/secretid'),
      await ask('GET', `/keys/${key}`),
    ].map((asking) => asking.span()),
  );
  expect(spans.map(({ attributes }) => attributes['url.path'])).toEqual([
    '/indexes/films/search',
    '/indexes/films/documents/REDACTED',
    '/keys/REDACTED',
  ]);
  expect(collector.text()).not.toMatch(/secret/i);
  expect(collector.text()).not.toContain(key);
  expect(collector.text()).not.toContain(MASTER_KEY);
});

describe('other servers', () => {
  const other = async (options: readonly string[], env: Record<string, string>) => {
    const apart = await startCollector();
    const { url, stop } = await startTraced(options, { ...sentTo(apart.url), ...env });
    onTestFinished(() => apart.close());
    const get = (path: string) => fetch(`${url}${path}`, { headers: { authorization: `Bearer ${MASTER_KEY}` } });
    return { apart, get, stop };
  };

  test('with --traces-texts has them, but no keys', async () => {
    const { apart, get, stop } = await other(['--traces-texts'], {});
    await server.allTasksDone();
    for (const path of ['/indexes/films/documents/17?fields=a', '/keys/secretkey', '/none/17']) await get(path);
    await stop();
    expect(apart.spans().map(({ attributes }) => [attributes['url.path'], attributes['url.query']])).toEqual([
      ['/indexes/films/documents/17', 'fields=a'],
      ['/keys/REDACTED', undefined],
      ['/none/17', undefined],
    ]);
    expect(apart.text()).not.toContain('secretkey');
  });

  test('a sampler that takes none sends none, and the end sends what waits', async () => {
    const none = await other([], { OTEL_TRACES_SAMPLER: 'always_off' });
    await none.get('/health');
    await none.stop();
    expect(none.apart.heads).toEqual([]);
    const late = await other([], { OTEL_BSP_SCHEDULE_DELAY: '600000' });
    await late.get('/health');
    await late.stop();
    expect(late.apart.spans().map(({ name }) => name)).toEqual(['GET /health']);
  });

  test('by default spans are sent as protobuf, to the path of OTLP', async () => {
    const { apart, get, stop } = await other([], { OTEL_EXPORTER_OTLP_PROTOCOL: '' });
    await get('/health');
    await stop();
    expect(apart.heads).toEqual([{ url: '/v1/traces', contentType: 'application/x-protobuf' }]);
    expect(apart.text()).toContain('GET /health');
    expect(apart.text()).toContain('fossick');
  });
});

describe('a collector', () => {
  const gone: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const close of gone.splice(0)) await close();
  });
  const SPANS = 3_000;
  /** More requests than the queue has places, all of which are answered. */
  const load = async ({ call }: TestServer): Promise<void> => {
    for (let at = 0; at < SPANS; at += 100) {
      const answers = await Promise.all(Array.from({ length: 100 }, () => call('GET', '/health')));
      expect(answers.every(({ status }) => status === 200)).toBe(true);
    }
  };

  test('that is not there is told in one line, and costs no more than the queue', async () => {
    const away = await startCollector();
    await away.close();
    const traced = await startTraced(['--log-level', 'WARN'], { ...sentTo(away.url), OTEL_EXPORTER_OTLP_TIMEOUT: '1' });
    await load(traced);
    await traced.stop();
    expect(traced.output().match(/telemetry: spans were not sent/g)).toHaveLength(1);
  });

  test.each([400, 503])('that answers %i changes no answer of the server', async (status) => {
    const failing = await startCollector((response) => void response.writeHead(status).end());
    gone.push(() => failing.close());
    const traced = await startTraced([], { ...sentTo(failing.url), OTEL_EXPORTER_OTLP_TIMEOUT: '50' });
    await load(traced);
    await traced.stop();
    expect(failing.heads.length).toBeGreaterThan(0);
    expect((await fetch(traced.url).catch((error: Error) => error)) instanceof Error).toBe(true);
  });

  test('that never answers gets a bounded number of spans, and the end does not wait for it', async () => {
    const silent = await startCollector(() => undefined);
    gone.push(() => silent.close());
    const traced = await startTraced([], { ...sentTo(silent.url), OTEL_BSP_MAX_QUEUE_SIZE: '600' });
    const arrived = silent.nextRequest();
    await traced.call('GET', '/health');
    await arrived;
    await load(traced);
    await traced.stop();
    expect(silent.spans().length).toBeLessThanOrEqual(601);
  });
});
