import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { addition } from '@fossick/documents/addition.test-support';
import { openEngineReader } from '@fossick/index';
import { openEngineWriter } from '@fossick/index/writer';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DEFAULT_REQUEST } from '../scratch-index.test-support.js';
import { search } from '../search.js';

/** Enough vectors for a graph in the first segment, and a merge that goes on with it. */
const COUNT = 6_000;
const [DIM_COUNT, CENTRE_COUNT, LIMIT] = [24, 40, 10];

function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 0x80000000 - 1;
  };
}
const random = randomOf(17);
const centres = Array.from({ length: CENTRE_COUNT }, () => Array.from({ length: DIM_COUNT }, random));
function draw(): number[] {
  const centre = centres[Math.floor(Math.abs(random()) * CENTRE_COUNT)]!;
  return centre.map((value) => Math.fround(value + random() / 2));
}

interface Stored {
  readonly kind: number;
  readonly vectors: readonly (readonly number[])[];
}

describe.each([false, true])('a large index of vectors, binaryQuantized %s', (binaryQuantized) => {
  const folder = mkdtempSync(join(tmpdir(), 'fossick-graph-'));
  const options = { rootFolder: join(folder, 'data'), maxSearchBytes: 32 << 20 };
  const context = { isCanceled: () => false, onProgress: () => undefined, maxIndexingBytes: 64 << 20 };
  const writer = openEngineWriter(options);
  let reader = openEngineReader(options);
  /** What the index has to hold, by id. */
  const model = new Map<number, Stored>();

  async function put(ids: readonly number[]): Promise<void> {
    const lines = ids.map((id) => {
      const stored = { kind: id % 100, vectors: id % 7 === 0 ? [draw(), draw()] : [draw()] };
      model.set(id, stored);
      return JSON.stringify({ id, kind: stored.kind, _vectors: { e: stored.vectors } });
    });
    const payloadFile = join(folder, 'payload.ndjson');
    writeFileSync(payloadFile, lines.join('\n'));
    await writer.applyDocuments('v', [addition(payloadFile)], context);
  }
  async function mergeAll(): Promise<void> {
    while (await writer.mergeOnce('v'));
  }
  function similarity(a: readonly number[], b: readonly number[]): number {
    if (binaryQuantized) return -a.reduce((sum, value, dim) => sum + Number(value > 0 !== b[dim]! > 0), 0);
    const dot = (x: readonly number[], y: readonly number[]): number => x.reduce((sum, v, dim) => sum + v * y[dim]!, 0);
    return dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b));
  }
  /** The share of the true nearest that searches find; each answer has to be in order, in scope and without doubles. */
  function recall(filter: string | null, isIn: (kind: number) => boolean): number {
    let found = 0;
    let wanted = 0;
    for (let at = 0; at < 25; at++) {
      const query = draw();
      const truth = [...model]
        .filter(([, { kind }]) => isIn(kind))
        .map(([id, { vectors }]) => ({ id, near: Math.max(...vectors.map((vector) => similarity(query, vector))) }))
        .sort((left, right) => right.near - left.near)
        .slice(0, LIMIT);
      const hybrid = { embedder: 'e', semanticRatio: 1 };
      const request = { ...DEFAULT_REQUEST, vector: query, hybrid, filter, limit: LIMIT, showRankingScore: true };
      const { hits } = reader.withView('v', (view) => search(view, request));
      const ids = hits.map(({ id }) => id as number);
      expect(new Set(ids).size).toBe(Math.min(LIMIT, truth.length));
      for (const id of ids) expect(isIn(model.get(id)!.kind)).toBe(true);
      const scores = hits.map(({ _rankingScore }) => _rankingScore as number);
      expect(scores).toEqual([...scores].sort((left, right) => right - left));
      // among those that are as near as the last, any will do
      const last = truth.at(-1)!.near - 1e-6;
      const nearOf = (id: number): number =>
        Math.max(...model.get(id)!.vectors.map((vector) => similarity(query, vector)));
      found += ids.filter((id) => nearOf(id) >= last).length;
      wanted += truth.length;
    }
    return found / wanted;
  }
  function expectRecall(): void {
    expect(recall(null, () => true)).toBeGreaterThan(0.98);
    expect(recall('kind < 50', (kind) => kind < 50)).toBeGreaterThan(0.98);
    expect(recall('kind = 7', (kind) => kind === 7)).toBeGreaterThan(0.98);
  }

  beforeAll(async () => {
    writer.createIndex('v', 'id');
    const embedder = { source: 'userProvided', dimensions: DIM_COUNT, binaryQuantized };
    await writer.applySettings('v', [{ embedders: { e: embedder }, filterableAttributes: ['kind'] }], context);
    await put(Array.from({ length: COUNT }, (_, id) => id));
  });
  afterAll(async () => {
    await reader.close();
    await writer.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test('finds the nearest, filtered or not', () => {
    expectRecall();
  });

  test('still finds them after replacing, adding and deleting, and after merges', async () => {
    await put(Array.from({ length: 1_500 }, (_, at) => at * 3));
    expectRecall();
    for (let batch = 0; batch < 6; batch++) await put(Array.from({ length: 200 }, (_, at) => COUNT + batch * 200 + at));
    const gone = Array.from({ length: 600 }, (_, at) => at * 5 + 1);
    await writer.applyDocuments(
      'v',
      [{ type: 'documentDeletion', target: { by: 'ids', ids: gone.map(String) } }],
      context,
    );
    for (const id of gone) model.delete(id);
    expectRecall();
    await mergeAll();
    expectRecall();
  });

  test('and after a restart', async () => {
    await reader.close();
    reader = openEngineReader(options);
    expectRecall();
  });

  test('gives every document in the end, once, in order', () => {
    const hybrid = { embedder: 'e', semanticRatio: 1 };
    const request = { ...DEFAULT_REQUEST, vector: draw(), hybrid, limit: 20_000, showRankingScore: true };
    const settings = { ...reader.settings('v'), pagination: { maxTotalHits: 100_000 } };
    const { hits } = reader.withView('v', (view) => search({ ...view, settings }, request));
    expect(new Set(hits.map(({ id }) => id))).toEqual(new Set(model.keys()));
    const scores = hits.map(({ _rankingScore }) => _rankingScore as number);
    expect(scores).toEqual([...scores].sort((left, right) => right - left));
  });
});
