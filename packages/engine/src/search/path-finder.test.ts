import { createKernel, type Ptr } from '@fossick/kernel';
import { describe, expect, it } from 'vitest';
import { BitmapPool } from './bitmap-pool.js';
import { PathFinder, type RuleEdge } from './path-finder.js';
import { END, type GraphNode, type PathNodes, type QueryGraph, START } from './query-graph.js';
import { ALL_DERIVATIONS, type QueryTerm } from './query-term.js';

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
  /** By node, in the order of the search. */
  readonly edges: readonly (readonly PlainEdge[])[];
  readonly universe: ReadonlySet<number>;
}

function randomCase(seed: number): RandomCase {
  const random = seeded(seed);
  const nodeCount = 3 + random(6);
  const nodes: GraphNode[] = Array.from({ length: nodeCount }, (_, id) => ({
    term: id < 2 ? null : ({ index: id } as QueryTerm),
    set: ALL_DERIVATIONS,
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

/** The specification's loop, word for word: all paths of a cost in order, each takes the documents that are still there. */
function slowly({ edges, universe }: RandomCase): { cost: number; docs: number[]; paths: string[] }[] {
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
  const costs = [...new Set(all.map((path) => path.cost))].sort((a, b) => a - b);
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

function quickly({ graph, edges, universe }: RandomCase): { cost: number; docs: number[]; paths: string[] }[] {
  const kernel = createKernel({ build: 'checked' });
  const pool = new BitmapPool(kernel, DOC_COUNT);
  const bitmapOf = (docs: ReadonlySet<number>): Ptr => {
    const bitmap = pool.empty();
    for (const doc of docs) kernel.set(bitmap, doc);
    return bitmap;
  };
  const finder = new PathFinder(pool, graph, (from, to): RuleEdge[] =>
    edges[graph.nodes.indexOf(from)]!.filter((edge) => graph.nodes[edge.to] === to).map((edge) => ({
      cost: edge.cost,
      docs: () => bitmapOf(edge.docs),
      node: to,
    })),
  );
  const left = bitmapOf(universe);
  return finder.costs().flatMap((cost) => {
    const docs = pool.empty();
    finder.orDocs(docs, cost, left);
    if (kernel.isEmpty(docs)) return [];
    kernel.andNot(left, docs);
    const members = [...kernel.members(docs, 0, DOC_COUNT)];
    const paths: PathNodes[] = [];
    finder.credit(cost, docs, paths);
    expect(kernel.isEmpty(docs)).toBe(true);
    return [
      { cost, docs: members, paths: paths.map((path) => path.map((node) => graph.nodes.indexOf(node)).join('.')) },
    ];
  });
}

describe('PathFinder', () => {
  it('gives the buckets and the credited paths of the plain loop over all paths', () => {
    for (let seed = 1; seed <= 300; seed++) {
      const one = randomCase(seed);
      expect(quickly(one), `seed ${seed}`).toEqual(slowly(one));
    }
  });
});
