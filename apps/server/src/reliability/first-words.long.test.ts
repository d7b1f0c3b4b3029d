/**
 * The first search in a language reads its dictionary: 0.1 to 1.5 s, which is once for a server, and which nobody else waits for.
 */
import { afterEach, describe, expect, it } from 'vitest';
import {
  newDatabaseFolder,
  pause,
  removeFolder,
  type ServerProcess,
  startServerProcess,
} from '../e2e/server-process.test-support.js';
import { isBuilt } from './launch.test-support.js';
import { coreShare, isShort, longestWait } from './probe.test-support.js';
import { rounds } from './rounds.test-support.js';

const LANGUAGES: readonly (readonly [locale: string, text: string, query: string])[] = [
  ['deu', 'Apfelbaum im Garten', 'Baum'],
  ['cmn', '海贼王是尾田荣一郎创作的漫画', '漫画'],
  ['jpn', '関西国際空港の写真', '空港'],
  ['kor', '학교에서 만난 여왕', '학교'],
  ['tha', 'ภาษาไทยง่ายนิดเดียว', 'ภาษาไทย'],
  ['khm', 'ប្រទេសកម្ពុជា', 'កម្ពុជា'],
];
/** Each with a server of its own: a dictionary is read once. */
const TRIES = 3;

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** Indexes of one document, by locale; what was indexed was read in the writer's thread. */
async function start(options: readonly string[] = []): Promise<ServerProcess> {
  const folder = newDatabaseFolder();
  cleanups.push(() => removeFolder(folder));
  const server = await startServerProcess(folder, options);
  cleanups.push(() => server.kill());
  for (const [locale, text] of LANGUAGES) {
    const localizedAttributes = [{ locales: [locale], attributePatterns: ['*'] }];
    await server.call('PATCH', `/indexes/${locale}/settings`, { localizedAttributes });
    await server.call('POST', `/indexes/${locale}/documents`, [{ id: 1, text }]);
  }
  await server.call('POST', '/indexes/probe/documents', [{ id: 1, text: 'probe' }]);
  const tasks = await server.allTasksDone();
  expect(tasks.filter(({ status }) => status !== 'succeeded')).toEqual([]);
  return server;
}

type Found = { readonly hits: readonly { readonly id: number; readonly _formatted?: object }[] };
/** A search by words of the language, one that only shows them, or several in one request. */
const WAYS: readonly ((server: ServerProcess, locale: string, query: string) => Promise<readonly number[]>)[] = [
  async (server, locale, q) =>
    (await server.call<Found>('POST', `/indexes/${locale}/search`, { q })).body.hits.map(({ id }) => id),
  async (server, indexUid, q) => {
    const queries = [
      { indexUid, q: '', attributesToHighlight: ['*'], attributesToCrop: ['*'], cropLength: 1 },
      { indexUid, q },
    ];
    const { body } = await server.call<{ results: Found[] }>('POST', '/multi-search', { queries });
    return body.results[1]!.hits.map(({ id }) => id);
  },
  async (server, indexUid, q) => {
    const { body } = await server.call<Found>('POST', '/multi-search', { federation: {}, queries: [{ indexUid, q }] });
    return body.hits.map(({ id }) => id);
  },
];

describe.skipIf(!isBuilt)('the first words of a language', () => {
  it('are found by a search thread, too, within the time of a search, to which reading does not count', async () => {
    const server = await start(['--search-threads', '1', '--search-threads-from', '0']);
    for (const [locale, , query] of LANGUAGES) {
      await server.call('PATCH', `/indexes/${locale}/settings`, { searchCutoffMs: 600 });
      await server.allTasksDone();
      expect([locale, await WAYS[0]!(server, locale, query)]).toEqual([locale, [1]]);
    }
  }, 60_000);

  it.each(
    WAYS.slice(0, rounds(2, 3)).map(
      (way, at) => [['by a search', 'in a list of searches', 'in a federated search'][at]!, way] as const,
    ),
  )(
    'are found %s, and nobody waits for their dictionary',
    async (_, way) => {
      const waits: string[] = [];
      for (let round = 0; round < TRIES; round++) {
        const server = await start();
        await longestWait(server, pause(200));
        const late: string[] = [];
        for (const [locale, , query] of LANGUAGES) {
          const idle = await longestWait(server, pause(50));
          const share = coreShare();
          let found: readonly number[] = [];
          const startedMs = performance.now();
          const wait = await longestWait(
            server,
            way(server, locale, query).then((ids) => {
              found = ids;
            }),
          );
          const tookMs = performance.now() - startedMs;
          expect([locale, found]).toEqual([locale, [1]]);
          if (!isShort(wait, idle, Math.min(share, coreShare())))
            late.push(`${locale}: ${Math.round(wait.waitMs)} of ${Math.round(tookMs)} ms`);
        }
        await server.kill();
        if (late.length === 0) return;
        waits.push(late.join(', '));
      }
      expect.fail(`a probe waited for ${waits.join('; ')}`);
    },
    180_000,
  );
});
