import { setTimeout as pause } from 'node:timers/promises';
import { PausedClock } from '@fossick/outbound/retry-clock.test-support';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { EmbeddingError } from './embedding-error.js';
import { minuteLimitMemory } from './http/minute-limit.js';
import { RequestSlots, requestMemory } from './http/request-slots.js';
import { createEmbedder, type EmbedderLimits } from './kinds/create-embedder.js';
import type { Embedder, RequestReport } from './port.js';
import { type Answer, startProvider, type TestProvider, texts, vectorOf } from './provider.test-support.js';

const KEY = 'sk-very-secret';
const INPUTS = Array.from({ length: 30 }, (_, at) => `text ${at}`);
let provider: TestProvider | undefined;
/** Retries wait by it, so that no test does. */
let clock: PausedClock;
beforeEach(() => {
  clock = new PausedClock();
});
afterEach(async () => {
  vi.restoreAllMocks();
  await provider?.close();
  provider = undefined;
});

/** An embedder over a provider of ours, ten inputs a request. */
async function embedding(
  answer: Answer,
  limits: Partial<EmbedderLimits> = {},
  slots?: RequestSlots,
): Promise<{ embedder: Embedder; provider: TestProvider }> {
  provider = await startProvider(answer);
  const embedder = createEmbedder(
    { source: 'ollama', model: 'm', apiKey: KEY, url: `${provider.url}/api/embed` },
    { limits: { retryMs: 3_000, clock, ...limits }, ...(slots === undefined ? {} : { slots }) },
  );
  return { embedder, provider };
}
const good: Answer = ({ body }) => ({ embeddings: body.input.map(vectorOf) });
const failure = (work: Promise<unknown>): Promise<EmbeddingError> =>
  work.then(
    () => Promise.reject(new Error('it succeeded')),
    (error) => error,
  );

describe('providers with faults', () => {
  it.each([500, 503, 429, 408])('status %i is tried again', async (status) => {
    const { embedder, provider } = await embedding((request, response, attempt) => {
      if (attempt > 2) return good(request, response, attempt);
      response.writeHead(status).end('busy');
    });
    const reports: RequestReport[] = [];
    const vectors = await embedder.embed(texts(...INPUTS), { onRequest: (report) => reports.push(report) });
    expect(vectors.map((vector) => [...vector])).toEqual(INPUTS.map(vectorOf));
    expect(provider.seen).toHaveLength(3);
    expect(reports.map(({ isSuccess }) => isSuccess)).toEqual([false, false, true]);
    expect(reports[0]!.fault).toContain(`status ${status}: busy`);
  });

  it('waits as long as Retry-After says', async () => {
    const { embedder } = await embedding((request, response, attempt) => {
      if (attempt > 1) return good(request, response, attempt);
      response.writeHead(429, { 'retry-after': '1' }).end();
    });
    await embedder.embed(texts('a'));
    expect(clock.pauses).toEqual([1_000]);
  });

  it('does not wait longer than its limit: the fault is reported', async () => {
    const { embedder, provider } = await embedding(
      (_, response) => void response.writeHead(429, { 'retry-after': '3600' }).end('later'),
    );
    const error = await failure(embedder.embed(texts('a')));
    expect(error).toMatchObject({ kind: 'refused', status: 429, inputIndex: 0, url: `${provider.url}/api/embed` });
    expect(provider.seen).toHaveLength(1);
  });

  it('tells what the provider did, not that the last attempt was cut short', async () => {
    // pauses of middle length: two short ones would end before the time for retries
    vi.spyOn(Math, 'random').mockReturnValue(0.5);
    const { embedder, provider } = await embedding(
      (_, response, attempt) => {
        if (attempt > 1) return;
        // the second attempt has 100 ms, and a third one none
        clock.pass(59_800);
        response.writeHead(503).end('busy');
      },
      { retryMs: 60_000 },
    );
    const error = await failure(embedder.embed(texts('a')));
    expect(provider.seen.length).toBeLessThanOrEqual(2);
    expect(clock.pauses).toHaveLength(1);
    expect(error).toMatchObject({ kind: 'refused', status: 503 });
  });

  it.each([
    400, 401, 403, 404, 422,
  ])('status %i is final, and the answer is reported without the key', async (status) => {
    const { embedder, provider } = await embedding(({ headers }, response) => {
      response.writeHead(status).end(JSON.stringify({ error: `no: ${headers.authorization}` }));
    });
    const error = await failure(embedder.embed(texts(...INPUTS)));
    expect(error).toMatchObject({ kind: 'refused', status });
    expect(error.message).toContain(`${provider.url}/api/embed answered with status ${status}: {"error":"no: `);
    expect(JSON.stringify([error, error.message, error.stack])).not.toContain(KEY);
    expect(provider.seen).toHaveLength(1);
  });

  it.each<[string, Answer, string]>([
    ['fewer vectors', ({ body }) => ({ embeddings: body.input.slice(1).map(vectorOf) }), 'nonsense'],
    ['more vectors', ({ body }) => ({ embeddings: [...body.input, 'x'].map(vectorOf) }), 'nonsense'],
    ['no vectors', () => ({}), 'nonsense'],
    ['null', () => null, 'nonsense'],
    ['empty vectors', ({ body }) => ({ embeddings: body.input.map(() => []) }), 'nonsense'],
    ['texts for numbers', ({ body }) => ({ embeddings: body.input.map(() => ['1', '2']) }), 'nonsense'],
    ['numbers beyond single precision', ({ body }) => ({ embeddings: body.input.map(() => [1e300, 1]) }), 'nonsense'],
    ['no JSON', (_, response) => void response.end('<html>'), 'nonsense'],
    [
      'sizes that differ',
      ({ body }) => ({ embeddings: body.input.map((_: string, at: number) => [1, 2, 3].slice(at % 2)) }),
      'dimensions',
    ],
    ['a redirect', (_, response) => void response.writeHead(307, { location: 'http://127.0.0.1:1/' }).end(), 'refused'],
  ])('%s: reported at once', async (_, answer, kind) => {
    const { embedder, provider } = await embedding(answer);
    expect(await failure(embedder.embed(texts(...INPUTS)))).toMatchObject({ name: 'EmbeddingError', kind });
    expect(provider.seen).toHaveLength(1);
  });

  it('an answer without end is read no further than the limit', async () => {
    let sentBytes = 0;
    const { embedder } = await embedding(
      (_, response) => {
        const piece = Buffer.alloc(65_536, 0x20);
        const send = (): void => {
          while (!response.destroyed && response.write(piece)) sentBytes += piece.length;
          if (!response.destroyed) response.once('drain', send);
        };
        send();
      },
      { answerBytes: 1_000_000 },
    );
    const error = await failure(embedder.embed(texts('a')));
    expect(error).toMatchObject({ kind: 'nonsense' });
    expect(error.message).toContain('more than 1000000 bytes');
    expect(sentBytes).toBeLessThan(50_000_000);
  });

  it('a provider that hangs meets the time limit, one that cuts the line is tried again', async () => {
    const hanging = await embedding(() => undefined, { requestTimeoutMs: 50, retryMs: 250 });
    expect(await failure(hanging.embedder.embed(texts('a')))).toMatchObject({ kind: 'timeout' });
    await hanging.provider.close();
    const cutting = await embedding((request, response, attempt) => {
      if (attempt > 1) return good(request, response, attempt);
      response.write('{"embeddings":[[1,');
      setTimeout(() => response.destroy(), 5);
    });
    expect(await cutting.embedder.embed(texts('a'))).toHaveLength(1);
    await cutting.provider.close();
    // the first attempts may find the line that was kept open, and see it closed
    const closed = createEmbedder(
      { source: 'openAi', model: 'm', url: cutting.provider.url },
      { limits: { retryMs: 60_000, clock } },
    );
    const error = await failure(closed.embed(texts('a')));
    expect(error).toMatchObject({ kind: 'unreachable', url: `${cutting.provider.url}/` });
    expect(error.message).toContain('ECONNREFUSED');
  });

  it('the caller`s own time limit holds, retries counted', async () => {
    const { embedder } = await embedding((_, response) => void response.writeHead(500).end(), { retryMs: 3_600_000 });
    expect(await failure(embedder.embed(texts('a'), { timeoutMs: 60_000 }))).toMatchObject({
      kind: 'refused',
      status: 500,
    });
    expect(clock.pauses.length).toBeGreaterThan(5);
    expect(clock.now()).toBeLessThan(60_000);
  });

  it('an abort ends what is in flight and what waits', async () => {
    let closedCount = 0;
    const { embedder, provider } = await embedding(
      (_, response) => {
        response.once('close', () => {
          closedCount += 1;
        });
      },
      { requestsAtOnce: 2 },
    );
    const stop = new AbortController();
    const inputs = Array.from({ length: 320 }, (_, at) => `text ${at}`);
    const work = failure(embedder.embed(texts(...inputs), { signal: stop.signal }));
    while (provider.seen.length < 2) await pause(2);
    stop.abort();
    expect(await work).toMatchObject({ kind: 'aborted' });
    while (closedCount < 2) await pause(2);
    expect(provider.seen).toHaveLength(2);
  });

  it('the first fault stops the rest', async () => {
    const { embedder, provider } = await embedding(
      async ({ body }, response) => {
        await pause(5);
        if (body.input.includes('text 40')) response.writeHead(400).end('no');
        else response.end(JSON.stringify({ embeddings: body.input.map(vectorOf) }));
      },
      { requestsAtOnce: 1 },
    );
    const inputs = Array.from({ length: 320 }, (_, at) => `text ${at}`);
    expect(await failure(embedder.embed(texts(...inputs)))).toMatchObject({ kind: 'refused', inputIndex: 32 });
    expect(provider.seen).toHaveLength(2);
  });
});

describe('limits of the traffic', () => {
  it('no more requests at once than allowed, also of several callers', async () => {
    const { embedder, provider } = await embedding(
      async (request, response, attempt) => {
        await pause(5);
        return good(request, response, attempt);
      },
      { requestsAtOnce: 3 },
    );
    const inputs = Array.from({ length: 32 * 6 }, (_, at) => `text ${at}`);
    await Promise.all([embedder.embed(texts(...inputs)), embedder.embed(texts(...inputs))]);
    expect(provider.seen).toHaveLength(12);
    expect(provider.openMax()).toBeLessThanOrEqual(3);
    expect(provider.openMax()).toBeGreaterThan(1);
  });

  it('no more requests at once than allowed by embedders of several threads, and queries come before documents', async () => {
    const memory = requestMemory();
    const limits = { requestsAtOnce: 3 };
    const { embedder, provider } = await embedding(
      async (request, response, attempt) => {
        await pause(20);
        return good(request, response, attempt);
      },
      limits,
      new RequestSlots(memory, 'indexing'),
    );
    const asker = createEmbedder(
      { source: 'ollama', model: 'other', url: `${provider.url}/api/embed` },
      { limits, slots: new RequestSlots(memory, 'search') },
    );
    let areDocumentsDone = false;
    const documents = embedder.embed(texts(...Array.from({ length: 32 * 15 }, (_, at) => `text ${at}`))).then(() => {
      areDocumentsDone = true;
    });
    while (provider.seen.length < 3) await pause(1);
    await Promise.all(['a', 'b', 'c'].map((query) => asker.embed(texts(query))));
    expect(areDocumentsDone).toBe(false);
    await documents;
    expect(provider.openMax()).toBe(3);
    const order = provider.seen.map(({ body }) => body.input.length);
    // three of documents were under way, and they keep one place of the three
    expect(order.slice(0, 12).filter((length) => length === 1)).toHaveLength(3);
    expect(provider.seen).toHaveLength(18);
  });

  it('a thread that ends releases its slots', () => {
    const memory = requestMemory();
    const [ended, other] = [new RequestSlots(memory, 'indexing'), new RequestSlots(memory, 'search')];
    expect([1, 2, 3].map(() => ended.take('a', 2))).toEqual([true, true, false]);
    expect(other.take('a', 2)).toBe(false);
    ended.close();
    expect([1, 2, 3].map(() => other.take('a', 2))).toEqual([true, true, false]);
    other.await('a', 1);
    other.give('a');
    // documents leave to queries that wait what they can, and keep one place
    expect([1, 2].map(() => ended.take('a', 3))).toEqual([true, false]);
    other.await('a', -1);
    expect(ended.take('a', 3)).toBe(true);
  });

  it('the next request leaves before the answer of the one before it is read', async () => {
    const happened: string[] = [];
    const realParse = JSON.parse;
    const parse = vi.spyOn(JSON, 'parse').mockImplementation((text: string) => {
      if (text.startsWith('{"embeddings"')) happened.push('read');
      return realParse(text);
    });
    try {
      const answer = (): Buffer =>
        Buffer.from(JSON.stringify({ embeddings: Array.from({ length: 32 }, () => [1, 2]) }));
      const limits = { requestsAtOnce: 1 };
      const embedder = createEmbedder(
        { source: 'ollama', model: 'm', url: 'http://127.0.0.1:1/api/embed' },
        {
          limits,
          client: {
            request: async () => {
              happened.push('sent');
              const body = (async function* () {
                yield answer();
              })();
              return { status: 200, header: () => null, body, discard: async () => undefined };
            },
          },
        },
      );
      const inputs = Array.from({ length: 32 }, (_, at) => `text ${at}`);
      await Promise.all([embedder.embed(texts(...inputs)), embedder.embed(texts(...inputs))]);
      expect(happened).toEqual(['sent', 'sent', 'read', 'read']);
    } finally {
      parse.mockRestore();
    }
  });

  it('no more requests a minute than allowed: the next one waits and may be stopped', async () => {
    const { embedder, provider } = await embedding(good, { requestsPerMinute: 2 });
    await embedder.embed(texts('a'));
    await embedder.embed(texts('b'));
    expect(await failure(embedder.embed(texts('c'), { signal: AbortSignal.timeout(50) }))).toMatchObject({
      kind: 'aborted',
    });
    expect(provider.seen).toHaveLength(2);
  });

  it('no more requests a minute than allowed by several embedders that share the limit', async () => {
    const begun = minuteLimitMemory(2);
    const { embedder, provider } = await embedding(good, { requestsPerMinute: 2, begun });
    const other = createEmbedder(
      { source: 'ollama', model: 'other', url: `${provider.url}/api/embed` },
      { limits: { requestsPerMinute: 2, begun } },
    );
    await embedder.embed(texts('a'));
    await other.embed(texts('b'));
    for (const late of [embedder, other])
      expect(await failure(late.embed(texts('c'), { timeoutMs: 50 }))).toMatchObject({ kind: 'timeout' });
    expect(provider.seen).toHaveLength(2);
  });

  it('waiting for a turn leaves the time for retries as it is', async () => {
    let tries = 0;
    const { embedder, provider } = await embedding(
      async (request, response, attempt) => {
        if (request.body.input[0] !== 'last') clock.pass(2_000);
        else if (++tries < 3) return void response.writeHead(503).end();
        return good(request, response, attempt);
      },
      { requestsAtOnce: 1, retryMs: 3_000 },
    );
    const before = [embedder.embed(texts('first')), embedder.embed(texts('second'))];
    // its turn comes later than its tries may last
    expect(await embedder.embed(texts('last'))).toHaveLength(1);
    await Promise.all(before);
    expect(provider.seen).toHaveLength(5);
  });
});
