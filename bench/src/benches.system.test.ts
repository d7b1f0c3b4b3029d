import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

const pathOf = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
/** `npm test` builds first; a bare vitest run in a fresh checkout has nothing to measure. */
const isBuilt =
  existsSync(pathOf('../../packages/engine/index/dist/index.js')) || process.env.FOSSICK_TEST_BUILT === '1';

/** They are an extension, which may be taken out. */
const HAS_CLUSTERS = existsSync(pathOf('../../packages/extensions/cluster'));
/** Whether `npm run test:long` runs. */
const isLongRun = process.env.FOSSICK_TEST_FAULTS === 'long';

async function figuresOf(script: string, ...options: readonly string[]): Promise<Record<string, unknown>> {
  const words = [pathOf(script), '--smoke', ...options];
  const { stdout } = await promisify(execFile)(process.execPath, words, { timeout: 550_000 });
  const result = JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
  expect(result.machine.node).toBe(process.version);
  return result.figures;
}

describe.skipIf(!isBuilt)('benches with small parameters', () => {
  it('of the loops: the walk in the kernel counts the words that the tokenizer visits', async () => {
    const { rows, words } = (await figuresOf('./micro-bench.mjs')) as {
      rows: { name: string; result: string }[];
      words: number;
    };
    const resultOf = (name: string): string | undefined => rows.find((row) => row.name === name)?.result;
    expect(words).toBeGreaterThan(1000);
    expect(resultOf('kernel: walk texts')).toBe(resultOf('tokenizer: visit words'));
  });

  it('of growth: all documents are there, whatever was merged, and the answers are the same in every run', async () => {
    const [first, second] = [await figuresOf('./scale-bench.mjs'), await figuresOf('./scale-bench.mjs')];
    expect(first.documentCount).toBe(400);
    expect(first.answersHash).toMatch(/^[0-9a-f]{16}$/);
    expect(second.answersHash).toBe(first.answersHash);
  });

  it('of the options: a search that uses none has the same answer where one is set', async () => {
    const { rows } = (await figuresOf('./beyond-bench.mjs', '--only', 'expiry')) as { rows: { name: string }[] };
    expect(rows.map(({ name }) => name)).toEqual(['expiry']);
  });

  it('of new searches: of every kind, and the answers are the same in every run', async () => {
    const [first, second] = [await figuresOf('./query-bench.mjs'), await figuresOf('./query-bench.mjs')];
    expect(first.rows).toHaveLength(11);
    expect(first.answersHash).toMatch(/^[0-9a-f]{16}$/);
    expect(second.answersHash).toBe(first.answersHash);
  });

  it.skipIf(!HAS_CLUSTERS)(
    'of a cluster: another node leads (in the long form), all documents are loaded, and a new replica gets them',
    async () => {
      const parts = isLongRun ? 'failover,load,replica' : 'load,replica';
      const { rows } = (await figuresOf('./cluster/cluster-bench.mjs', '--only', parts)) as {
        rows: { name: string; p50?: number; all?: number; seconds?: number }[];
      };
      const of = (name: string) => rows.find((row) => row.name === name);
      if (isLongRun) expect(of('leader ended by kill -9: first task of the next')?.p50).toBeGreaterThan(0);
      expect(of('load: documents a second of a cluster')?.all).toBeGreaterThan(0);
      expect(of('a new replica')?.seconds).toBeGreaterThan(0);
    },
  );

  it('of products compared with each other: all of them find what is misspelt by one letter, nearly always', async () => {
    const { engines } = (await figuresOf('./compare/compare-engines.mjs')) as {
      engines: { name: string; found: { typo: number; asked: number }; residentMiB?: number }[];
    };
    expect(engines.map(({ name }) => name)).toEqual(['fossick (server)', 'minisearch', 'orama']);
    for (const { found } of engines) expect(found.asked).toBe(10);
    expect(engines[0]!.found.typo).toBeGreaterThanOrEqual(8);
  });

  it('of products compared with each other end, however slow one is, and say what it was asked', async () => {
    type Engine = { name: string; over?: string; indexMs?: number; asked?: Record<string, number> };
    const { engines: slow } = await figuresOf(
      './compare/compare-engines.mjs',
      '--only',
      'orama',
      '--search-limit',
      '0.000001',
    );
    expect(slow).toMatchObject([{ name: 'orama', asked: { words: 1, prefix: 1, typo: 1 } }]);
    const { engines: ended } = await figuresOf(
      './compare/compare-engines.mjs',
      '--only',
      'mini',
      '--index-limit',
      '0.001',
    );
    expect(ended).toMatchObject([{ name: 'minisearch', over: 'indexing' }]);
    expect((ended as Engine[])[0]!.indexMs).toBeUndefined();
  });

  it('of vectors: the nearest are all found', async () => {
    const { searches, documents } = (await figuresOf('./vector-bench.mjs')) as {
      searches: Record<string, { recall: number }>;
      documents: number;
    };
    expect(documents).toBe(300);
    expect(Object.entries(searches).map(([scope, { recall }]) => [scope, recall])).toEqual(
      ['plain', 'half', 'percent', 'few'].map((scope) => [scope, 1]),
    );
  });

  it('of vectors over HTTP: they are all found, also after changes', async () => {
    type Searches = Record<string, { recall: number }>;
    const { servers } = (await figuresOf('./http/vector-http.mjs')) as {
      servers: { fossick: { searches: Searches; changed: { searches: Searches } } };
    };
    const { searches, changed } = servers.fossick;
    for (const found of [searches, changed.searches])
      expect(Object.values(found).map(({ recall }) => recall)).toEqual([1, 1, 1, 1]);
  });

  it('of embedding: each text is asked for once', async () => {
    const { rows } = (await figuresOf('./http/embedding-bench.mjs')) as { rows: { texts: number }[] };
    expect(rows.map(({ texts }) => texts)).toEqual([300, 0]);
  });

  it('of conversations: each is answered to its end, and none is left open', async () => {
    const { rows, leftOpen } = (await figuresOf('./http/conversations-bench.mjs')) as {
      rows: { done?: number; failed?: number }[];
      leftOpen: number;
    };
    expect(leftOpen).toBe(0);
    expect(rows.at(-1)).toMatchObject({ failed: 0, done: expect.any(Number) });
  });

  it('of peers: ours finds what was misspelt', async () => {
    const { engines } = (await figuresOf('./peers-bench.mjs')) as {
      engines: { name: string; found: Record<string, number> }[];
    };
    expect(engines.map((engine) => engine.name)).toEqual(expect.arrayContaining(['fossick', 'minisearch', 'orama']));
    expect(engines[0]?.found).toEqual({ 'two words': 1, 'four words': 1, typo: 1, prefix: 1 });
  });
});
