import { afterEach, describe, expect, test } from 'vitest';
import {
  newDatabaseFolder,
  removeFolder,
  type ServerProcess,
  startServerProcess,
  type WireTask,
} from '../e2e/server-process.test-support.js';
import { type Provider, restEmbedder, startProvider, vectorOf } from '../embedding/provider.test-support.js';
import { isBuilt } from './launch.test-support.js';
import { rounds } from './rounds.test-support.js';

/** Of a hundred texts each: six pieces of documents. */
const REQUESTS = 60;
const OPEN = ['--experimental-allowed-ip-networks', '127.0.0.0/8'];
const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

interface RunningBatches {
  readonly results: readonly {
    readonly progress: { readonly steps: readonly { readonly currentStep: string; readonly total: number }[] } | null;
  }[];
}
interface FinishedBatches {
  readonly results: readonly {
    readonly stats: { readonly embedderRequests: object; readonly progressTrace: object };
  }[];
}

/** `delayMs`: of each answer of the provider. */
async function begin(
  delayMs: number | (() => number) = 50,
): Promise<{ folder: string; provider: Provider; server: ServerProcess }> {
  const provider = await startProvider(delayMs);
  cleanups.push(() => provider.close());
  const folder = newDatabaseFolder();
  cleanups.push(() => removeFolder(folder));
  const server = await startServerProcess(folder, OPEN);
  cleanups.push(() => server.kill());
  await server.call('PATCH', '/indexes/a/settings', { embedders: { default: restEmbedder(provider) } });
  await server.allTasksDone();
  provider.texts.length = 0;
  provider.requestCount = 0;
  return { folder, provider, server };
}
const titled = (from: number, count: number): object[] =>
  Array.from({ length: count }, (_, at) => ({ id: from + at, title: `Title ${from + at}` }));
const statusOf = async (server: ServerProcess, uid: number): Promise<string> =>
  (await server.call<WireTask>('GET', `/tasks/${uid}`)).body.status;

describe.skipIf(!isBuilt)('embedding of many documents', () => {
  test('asks in full requests, some at once, for each text once, also when killed half way', async () => {
    const count = rounds(1_000, 10_000);
    const { folder, provider, server } = await begin();
    await server.call('POST', '/indexes/a/documents', titled(0, count));
    await server.allTasksDone();
    expect(provider.texts.length).toBe(count);
    expect(provider.requestCount).toBe(count / 100);
    expect(provider.openMax).toBeGreaterThan(1);
    expect(provider.openMax).toBeLessThanOrEqual(8);
    await server.call('POST', '/indexes/a/documents', titled(0, count));
    await server.allTasksDone();
    expect(provider.texts.length).toBe(count);
    provider.behave = () => undefined; // never answers
    await server.call('POST', '/indexes/a/documents', titled(count / 2, count));
    await expect.poll(() => provider.texts.length, { timeout: 120_000 }).toBeGreaterThan(count);
    await server.kill();
    provider.texts.length = 0;
    provider.behave = (texts) => ({ vectors: texts.map(vectorOf) });
    const again = await startServerProcess(folder, OPEN);
    cleanups.push(() => again.kill());
    await again.allTasksDone();
    expect(provider.texts.length).toBe(count / 2);
    expect((await again.call('GET', '/indexes/a/stats')).body).toMatchObject({ numberOfEmbeddings: count * 1.5 });
  });

  test('keeps the provider busy from the first request to the last, and shows how far it is', async () => {
    const { provider, server } = await begin(0);
    // the last open request is answered when the next one is there: a server that asks for the next piece of documents only when this one is
    // embedded and stored would wait without end
    const held: (() => void)[] = [];
    const seen: string[] = [];
    const answer = (): void => {
      const isEnd = provider.requestCount === REQUESTS && seen.length > 0;
      while (held.length > (isEnd ? 0 : 1)) held.shift()!();
    };
    provider.behave = (texts, response) => {
      held.push(() => void response.end(JSON.stringify({ vectors: texts.map(vectorOf) })));
      answer();
    };
    provider.idleCount = 0;
    await server.call('POST', '/indexes/a/documents', titled(0, 100 * REQUESTS));
    await expect
      .poll(
        async () => {
          const running = await server.call<RunningBatches>('GET', '/batches?statuses=processing');
          const steps = running.body.results[0]?.progress?.steps ?? [];
          for (const { currentStep, total } of steps) if (currentStep === 'embedding request') seen.push(`of ${total}`);
          answer();
          return steps.length === 0 && seen.length > 0;
        },
        { timeout: 120_000, interval: 20 },
      )
      .toBe(true);
    await server.allTasksDone();
    expect(provider.requestCount).toBe(REQUESTS);
    expect(provider.idleCount).toBe(1);
    expect(seen.at(-1)).toMatch(/^of \d+$/);
    const { body } = await server.call<FinishedBatches>('GET', '/batches?limit=1');
    expect(body.results[0]!.stats.embedderRequests).toEqual({ total: REQUESTS, failed: 0 });
    expect(Object.keys(body.results[0]!.stats.progressTrace).join('\n')).toContain('extracting embeddings');
  });

  test('is broken off when it is canceled and when the server stops, and goes on with the next start', async () => {
    const { folder, provider, server } = await begin();
    provider.behave = () => undefined;
    const canceled = await server.call<{ taskUid: number }>('POST', '/indexes/a/documents', titled(0, 10));
    await expect.poll(() => provider.requestCount, { timeout: 120_000 }).toBe(1);
    await server.call('POST', `/tasks/cancel?uids=${canceled.body.taskUid}`);
    await expect.poll(() => statusOf(server, canceled.body.taskUid), { timeout: 120_000 }).toBe('canceled');
    await expect.poll(() => provider.brokenCount, { timeout: 120_000 }).toBe(1);
    const waiting = await server.call<{ taskUid: number }>('POST', '/indexes/a/documents', titled(10, 10));
    await expect.poll(() => provider.requestCount, { timeout: 120_000 }).toBe(2);
    expect(await server.stop()).toBe(0);
    // a request has 30 s to be answered, after which it is sent again: the stop did not wait for that
    await expect.poll(() => provider.brokenCount, { timeout: 120_000 }).toBe(2);
    expect(provider.requestCount).toBe(2);
    provider.behave = (texts) => ({ vectors: texts.map(vectorOf) });
    const again = await startServerProcess(folder, OPEN);
    cleanups.push(() => again.kill());
    await again.allTasksDone();
    expect(await statusOf(again, waiting.body.taskUid)).toBe('succeeded');
  });
});
