import { existsSync } from 'node:fs';
import { connect } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import {
  newDatabaseFolder,
  removeFolder,
  type ServerProcess,
  sampleLines,
  startServerProcess,
  threadPriorities,
  type WireError,
} from './server-process.test-support.js';

const IS_BUILT = existsSync(fileURLToPath(new URL('../../dist/main.js', import.meta.url)));
const PATIENT = { timeout: 120_000 };
/** The pause before the server looks at sizes of indexes (packages/service/search-service/src/threads/early-start.ts). */
const AHEAD_MS = 500;
const THREADS = ['--search-threads', '1', '--search-threads-from', '1'];

interface Answer {
  readonly hits: readonly { readonly id: number }[];
  readonly estimatedTotalHits: number;
}

/** Answers to a request sent `count` times in one write, so that the server has all of them before it has answered one. */
function pipelined(url: string, path: string, count: number): Promise<string> {
  const { hostname, port } = new URL(url);
  const head = `GET ${path} HTTP/1.1\r\nhost: ${hostname}\r\n`;
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    let text = '';
    socket.setEncoding('utf8');
    socket.on('data', (part: string) => {
      text += part;
    });
    socket.once('error', reject);
    socket.once('close', () => resolve(text));
    socket.write(`${`${head}\r\n`.repeat(count - 1)}${head}connection: close\r\n\r\n`);
  });
}

describe.skipIf(!IS_BUILT)('searches in threads of their own', () => {
  let folder = '';
  let server: ServerProcess | undefined;
  afterEach(async () => {
    await server?.kill();
    removeFolder(folder);
  });

  async function startFilled(
    options: readonly string[],
    env: Readonly<Record<string, string>> = {},
  ): Promise<ServerProcess> {
    folder = newDatabaseFolder();
    server = await startServerProcess(folder, options, env);
    const body = sampleLines().slice(0, 300).join('\n');
    await server.call('POST', '/indexes/movies/documents', body, { 'content-type': 'application/x-ndjson' });
    await server.allTasksDone();
    return server;
  }

  it('answers as the HTTP thread does, errors too, and sees every change', async () => {
    const threaded = await startFilled(THREADS);
    const threadsOf = (): number => (process.platform === 'linux' ? threadPriorities(threaded.pid).size : 0);
    const threadCount = threadsOf();
    const queries = [{ q: 'the' }, { q: '' }, { q: 'american fim' }, { q: 'love', attributesToHighlight: ['*'] }];
    const answers = await Promise.all(
      queries.map((query) => threaded.call<Answer>('POST', '/indexes/movies/search', query)),
    );
    if (process.platform === 'linux') expect(threadsOf()).toBeGreaterThan(threadCount);
    const wrong = await threaded.call<WireError>('POST', '/indexes/movies/search', { filter: 'id > 1' });
    expect(wrong).toMatchObject({ status: 400, body: { code: 'invalid_search_filter' } });
    await threaded.call('POST', '/indexes/movies/documents', [{ id: 999_999, title: 'zyxwv' }]);
    await threaded.allTasksDone();
    const changed = await threaded.call<Answer>('GET', '/indexes/movies/search?q=zyxwv');
    expect(changed.body.hits.map(({ id }) => id)).toEqual([999_999]);
    await threaded.call('DELETE', '/indexes/movies/documents/999999');
    await threaded.allTasksDone();
    expect(await threaded.stop()).toBe(0);

    server = await startServerProcess(folder, ['--search-threads', '0']);
    for (const [at, query] of queries.entries()) {
      const { body } = await server.call<Answer>('POST', '/indexes/movies/search', query);
      const { hits, estimatedTotalHits } = answers[at]!.body;
      expect({ hits, estimatedTotalHits }).toEqual({ hits: body.hits, estimatedTotalHits: body.estimatedTotalHits });
    }
  });

  it.skipIf(process.platform !== 'linux')('are started when they are needed: one client gets one of two', async () => {
    const threadsWith = async (options: readonly string[]): Promise<number> => {
      const running = await startFilled([...options, '--experimental-enable-metrics']);
      for (let id = 0; id < 40; id++) {
        const { status, body } = await running.call<Answer>('POST', '/indexes/movies/search', { q: 'the', offset: id });
        expect([status, body.estimatedTotalHits > 0]).toEqual([200, true]);
      }
      const metrics = await (await fetch(`${running.url}/metrics`)).text();
      expect(metrics).toMatch(/http_requests_total\{[^}]*\/search"[^}]*\} 40$/m);
      const threadCount = threadPriorities(running.pid).size;
      await running.stop();
      removeFolder(folder);
      return threadCount;
    };
    const [one, two] = [
      await threadsWith(THREADS),
      await threadsWith(['--search-threads', '2', THREADS[2]!, THREADS[3]!]),
    ];
    expect(two).toBe(one);
  });

  it.skipIf(process.platform !== 'linux')('take searches of a small index while the HTTP thread is busy', async () => {
    const startBusy = async (helpers: string): Promise<ServerProcess> => {
      folder = newDatabaseFolder();
      const env = { FOSSICK_TEST_SEARCH_HELPERS: helpers };
      // no search is handed over because it takes long
      const options = ['--search-threads', '2', '--kept-answers-memory', '0', '--search-budget-ms', '10000'];
      server = await startServerProcess(folder, options, env);
      const body = sampleLines().slice(0, 300).join('\n');
      await server.call('POST', '/indexes/movies/documents', body, { 'content-type': 'application/x-ndjson' });
      await server.allTasksDone();
      return server;
    };
    const queries = Array.from({ length: 400 }, (_, at) => ({ q: 'the', offset: at % 40, limit: 1 + (at % 7) }));
    /** The ids that eight clients get, and the greatest number of threads meanwhile. */
    const askedByEight = async (running: ServerProcess): Promise<{ ids: number[][]; threads: number }> => {
      const ids: number[][] = [];
      let threads = 0;
      let next = 0;
      const client = async (): Promise<void> => {
        while (next < queries.length) {
          const at = next++;
          const { body } = await running.call<Answer>('POST', '/indexes/movies/search', queries[at]);
          ids[at] = body.hits.map(({ id }) => id);
          threads = Math.max(threads, threadPriorities(running.pid).size);
        }
      };
      await Promise.all(Array.from({ length: 8 }, client));
      return { ids, threads };
    };
    const without = await askedByEight(await startBusy('0'));
    await server!.stop();
    removeFolder(folder);
    const helped = await startBusy('1');
    const first = await askedByEight(helped);
    expect(first.threads).toBe(without.threads + 1);
    expect(first.ids).toEqual(without.ids);
    // the thread has loaded its code by now
    expect((await askedByEight(helped)).ids).toEqual(without.ids);
    const wrong = await Promise.all(
      queries.slice(0, 20).map(() => helped.call<WireError>('POST', '/indexes/movies/search', { filter: 'id > 1' })),
    );
    for (const { status, body } of wrong) expect([status, body.code]).toEqual([400, 'invalid_search_filter']);
    await helped.call('POST', '/indexes/movies/documents', [{ id: 999_999, title: 'zyxwv' }]);
    await helped.allTasksDone();
    const changed = await Promise.all(
      queries.slice(0, 20).map(() => helped.call<Answer>('GET', '/indexes/movies/search?q=zyxwv')),
    );
    for (const { body } of changed) expect(body.hits.map(({ id }) => id)).toEqual([999_999]);
    expect(await helped.stop()).toBe(0);
  });

  describe('are started ahead for an index that is soon large', () => {
    /** In each thread of the server: tells when a search thread starts, and when the first thread has looked at the sizes of indexes. */
    const telling = `
      import { isMainThread } from 'node:worker_threads';
      const start = globalThis.setTimeout;
      const after = (ms, work) => (ms === ${AHEAD_MS} ? (...given) => { work(...given); process._rawDebug('looked'); } : work);
      if (isMainThread) globalThis.setTimeout = (work, ms, ...more) => start(after(ms, work), ms, ...more);
      else if (process.argv[1].endsWith('searcher.js')) process._rawDebug('a search thread');`;
    const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(telling)}` };
    const threadCount = (): number => server!.output().split('a search thread').length - 1;
    const untilLooked = (): Promise<void> => expect.poll(() => server!.output(), PATIENT).toContain('looked');
    // 300 documents are half of what makes an index large
    const ahead = ['--search-threads', '1', '--search-threads-from', '600'];

    it('after the batch that makes it so, before anybody searches', async () => {
      const growing = await startFilled(['--search-threads', '1', '--search-threads-from', '1200'], env);
      await untilLooked();
      expect(threadCount()).toBe(0);
      const more = sampleLines().slice(300, 700).join('\n');
      await growing.call('POST', '/indexes/movies/documents', more, { 'content-type': 'application/x-ndjson' });
      await expect.poll(threadCount, PATIENT).toBe(1);
    });

    it('after a start', async () => {
      await (await startFilled(ahead)).stop();
      server = await startServerProcess(folder, ['--search-threads', '1', '--search-threads-from', '100000'], env);
      await untilLooked();
      expect(threadCount()).toBe(0);
      await server.stop();
      server = await startServerProcess(folder, ahead, env);
      await expect.poll(threadCount, PATIENT).toBe(1);
    });
  });

  it.each([
    ['a thread', THREADS],
    ['the HTTP thread', ['--search-threads', '0']],
  ])('refuses in %s what may not wait', async (_where, options) => {
    const crowded = await startFilled([
      ...options,
      ...['--experimental-search-queue-size', '0', '--experimental-nb-searches-per-core', '0'],
    ]);
    const answers = await pipelined(crowded.url, '/indexes/movies/search?q=the', 12);
    const statuses = [...answers.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status);
    const refusedCount = statuses.filter((status) => status === '503').length;
    expect(refusedCount).toBeGreaterThan(0);
    expect(answers.match(/"code":"too_many_search_requests"/g)).toHaveLength(refusedCount);
    expect(answers.match(/^retry-after: 10/gim)).toHaveLength(refusedCount);
    expect(statuses.filter((status) => status === '200').length).toBe(12 - refusedCount);
    expect((await crowded.call<Answer>('POST', '/indexes/movies/search', { q: 'the' })).status).toBe(200);
  });
});
