import type { DocId } from '@fossick/base';
import { runsOf } from '@fossick/base/test-seed.test-support';
import { type Bitmap, createKernel } from '@fossick/kernel';
import { describe, expect, it } from 'vitest';
import { END, type GraphNode, type QueryGraph, START } from '../../query/query-graph.js';
import { ALL_EXPANSIONS, type QueryTerm } from '../../query/query-term.js';
import { BitmapPool } from '../terms/bitmap-pool.js';
import type { StepSource } from './finder.js';
import { ForwardFinder } from './forward-finder.js';
import { PathFinder } from './path-finder.js';

const DOC_COUNT = 150;

/** Mulberry32: the same numbers on every run of a seed. */
function seeded(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 2 ** 32) * below);
  };
}

interface PlainEdge {
  readonly to: number;
  readonly cost: number;
  readonly docs: ReadonlySet<number>;
}

interface RandomCase {
  readonly graph: QueryGraph;
  /** By node, in search order. */
  readonly edges: readonly (readonly PlainEdge[])[];
  readonly universe: ReadonlySet<number>;
}

function randomCase(seed: number): RandomCase {
  const random = seeded(seed);
  const nodeCount = 3 + random(6);
  const nodes: GraphNode[] = Array.from({ length: nodeCount }, (_, id) => ({
    term: id < 2 ? null : ({ index: id } as QueryTerm),
    set: ALL_EXPANSIONS,
    isMandatory: false,
  }));
  const docs = (): Set<number> => {
    const density = 1 + random(4);
    return new Set(Array.from({ length: DOC_COUNT }, (_, doc) => doc).filter(() => random(density) === 0));
  };
  const next = nodes.map((_, id) => {
    if (id === END) return [];
    const later = Array.from({ length: nodeCount }, (_unused, to) => to).filter(
      (to) => to > Math.max(id, END) && random(3) > 0,
    );
    return later.length === 0 || random(4) === 0 ? [END, ...later] : later;
  });
  const edges = next.map((targets) =>
    targets.flatMap((to): PlainEdge[] => {
      if (to === END) return [{ to, cost: 0, docs: new Set(Array.from({ length: DOC_COUNT }, (_, doc) => doc)) }];
      return Array.from({ length: 1 + random(3) }, (_, cost) => ({ to, cost, docs: docs() }));
    }),
  );
  return { graph: { nodes, next }, edges, universe: docs() };
}

interface Bucket {
  readonly cost: number;
  readonly docs: readonly number[];
  readonly paths: readonly string[];
}

/** The specification's loop: all paths of a cost in order, each taking the documents that are left. */
function slowly({ edges, universe }: RandomCase, costliestFirst: boolean): Bucket[] {
  const all: { cost: number; nodes: number[]; docs: Set<number> }[] = [];
  const walk = (node: number, cost: number, nodes: number[], docs: Set<number>): void => {
    if (node === END) {
      all.push({ cost, nodes, docs });
      return;
    }
    for (const edge of edges[node]!) {
      const kept = new Set([...docs].filter((doc) => edge.docs.has(doc)));
      walk(edge.to, cost + edge.cost, edge.to === END ? nodes : [...nodes, edge.to], kept);
    }
  };
  walk(START, 0, [], new Set(universe));
  const left = new Set(universe);
  const costs = [...new Set(all.map((path) => path.cost))].sort((a, b) => (costliestFirst ? b - a : a - b));
  return costs.flatMap((cost) => {
    const docs: number[] = [];
    const paths: string[] = [];
    for (const path of all) {
      if (path.cost !== cost) continue;
      const earned = [...path.docs].filter((doc) => left.has(doc));
      if (earned.length === 0) continue;
      for (const doc of earned) left.delete(doc);
      docs.push(...earned);
      paths.push(path.nodes.join('.'));
    }
    return docs.length === 0 ? [] : [{ cost, docs: docs.sort((a, b) => a - b), paths }];
  });
}

/**
 * @param scatter distance between documents: a large one leaves stretches of bitmaps empty
 * @param parts edges are answered for the needed documents; counts these answers
 */
function quickly(
  one: RandomCase,
  order: 'cheapest first' | 'costliest first' | 'forward',
  scatter: number,
  parts?: { count: number },
): Bucket[] {
  const { graph, edges, universe } = one;
  const kernel = createKernel({ build: 'checked' });
  const pool = new BitmapPool(kernel, DOC_COUNT * scatter);
  const bitmapOf = (docs: ReadonlySet<number>): Bitmap => {
    const bitmap = pool.empty();
    for (const doc of docs) kernel.bitmaps.set(bitmap, (doc * scatter) as DocId);
    return bitmap;
  };
  const waysOf = (from: GraphNode, to: GraphNode): readonly PlainEdge[] =>
    edges[graph.nodes.indexOf(from)]!.filter((edge) => graph.nodes[edge.to] === to);
  const left = bitmapOf(universe);
  const source: StepSource = {
    costs: (from, to) => waysOf(from, to).map(({ cost }) => cost),
    docs: (from, to, alternative) => bitmapOf(waysOf(from, to)[alternative]!.docs),
    narrowed: (to) => to,
  };
  const answeredBy = new Map<PlainEdge, Set<number>>();
  const inParts: StepSource = {
    ...source,
    answerCost: (_, to) => (to.term!.index % 4 === 3 ? null : to.term!.index % 3),
    docs: (from, to, alternative, within) => {
      const ways = waysOf(from, to);
      const all = Array.from({ length: DOC_COUNT }, (_, doc) => doc);
      const wanted = within && [...kernel.bitmaps.members(within, 0, DOC_COUNT * scatter)].map((doc) => doc / scatter);
      if (wanted && wanted.length < kernel.bitmaps.count(left)) parts!.count += 1;
      const bitmaps = ways.map((way) => {
        const answered = new Set([...(answeredBy.get(way) ?? []), ...(wanted ?? all)]);
        answeredBy.set(way, answered);
        return bitmapOf(new Set([...answered].filter((doc) => way.docs.has(doc))));
      });
      // all parallel edges at once, or the needed one
      return alternative > 0 ? bitmaps : bitmaps[0]!;
    },
  };
  const used = parts ? inParts : source;
  const finder =
    order === 'forward'
      ? new ForwardFinder(pool, graph, used, left)
      : new PathFinder(pool, graph, used, left, order === 'costliest first');
  const found: Bucket[] = [];
  for (let docs = finder.next(); docs !== 0; docs = finder.next()) {
    const { cost } = finder;
    const members = [...kernel.bitmaps.members(docs, 0, DOC_COUNT)].map((doc) => doc / scatter);
    const paths = finder.matchingPaths(docs).map((path) => path.map((node) => graph.nodes.indexOf(node)).join('.'));
    expect(kernel.bitmaps.subtract(left, docs)).toBe(members.length);
    pool.release(docs);
    found.push({ cost, docs: members, paths });
  }
  finder.close();
  return found;
}

describe('PathFinder', () => {
  it('gives the buckets and the matching paths of the plain loop over all paths', () => {
    for (let seed = 1; seed <= runsOf(300); seed++) {
      const one = randomCase(seed);
      const scatter = [1, 61, 500][seed % 3]!;
      expect(quickly(one, 'cheapest first', scatter), `seed ${seed}`).toEqual(slowly(one, false));
      expect(quickly(one, 'costliest first', scatter), `seed ${seed}, costliest first`).toEqual(slowly(one, true));
    }
  });

  it('gives the same where edges are answered for some documents at a time', () => {
    const parts = { count: 0 };
    for (let seed = 1; seed <= runsOf(100); seed++) {
      const one = randomCase(seed);
      const scatter = [1, 61, 500][seed % 3]!;
      expect(quickly(one, 'cheapest first', scatter, parts), `seed ${seed}`).toEqual(slowly(one, false));
      expect(quickly(one, 'costliest first', scatter, parts), `seed ${seed}, costliest first`).toEqual(
        slowly(one, true),
      );
      expect(quickly(one, 'forward', scatter, parts), `seed ${seed}, forward`).toEqual(slowly(one, false));
    }
    expect(parts.count).toBeGreaterThan(runsOf(80));
  });

  it('reuses released empty bitmaps where an empty one is needed', () => {
    const one = randomCase(1);
    const pool = new BitmapPool(createKernel({ build: 'checked' }), 100_000);
    const universe = pool.empty();
    pool.kernel.bitmaps.set(universe, 77_777 as DocId);
    const sparse = pool.ifSparse(universe);
    const emptied = [pool.empty(), pool.empty(), pool.empty()];
    for (const bitmap of emptied) pool.releaseWithin(bitmap, sparse);
    const source: StepSource = { costs: () => [0, 1], docs: () => universe, narrowed: (to) => to };
    const finder = new PathFinder(pool, one.graph, source, universe, false);
    const found = finder.next() as Bitmap;
    expect(finder.matchingPaths(found).length).toBeGreaterThan(0);
    expect([found, pool.empty(), pool.empty()].sort()).toEqual(emptied.sort());
    finder.close();
  });

  it('knows the cheapest and the costliest path', () => {
    const [start, end, first, second] = [null, null, 2, 3].map(
      (index): GraphNode => ({ term: index === null ? null : ({ index } as QueryTerm), set: 0, isMandatory: false }),
    );
    const graph: QueryGraph = { nodes: [start!, end!, first!, second!], next: [[2, 3], [], [3], [END]] };
    const pool = new BitmapPool(createKernel({ build: 'checked' }), DOC_COUNT);
    const source: StepSource = { costs: () => [4, 1, 2], docs: () => 0, narrowed: (to) => to };
    const finder = new PathFinder(pool, graph, source, pool.empty(), false);
    expect([finder.shortest, finder.longest, finder.next()]).toEqual([1, 8, 0]);
  });
});
