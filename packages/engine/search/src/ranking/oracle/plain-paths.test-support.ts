/**
 * The oracle's query graph and the loop that graph-based rules share: every path of a cost, one after another.
 */
import type { MatchingStrategy } from '../../query/query-graph.js';
import { docsWhere, isOccurrenceOf, type Occurrence, type PlainIndex } from './plain-index.test-support.js';
import { type PlainTerm, phraseDocs, type SetName } from './plain-terms.test-support.js';

export const ALL_SETS: readonly SetName[] = ['exact', 'prefixes', 'synonyms', 'one', 'two', 'infixes'];
export const START = 0;
export const END = 1;

export interface PlainNode {
  readonly term: PlainTerm;
  /** Expansions that are still allowed. */
  readonly sets: readonly SetName[];
}
export interface PlainGraph {
  /** START and END are null. */
  readonly nodes: readonly (PlainNode | null)[];
  readonly next: readonly (readonly number[])[];
}
export interface PlainEdge {
  readonly cost: number;
  readonly docs: ReadonlySet<number>;
  readonly node: PlainNode;
}
export interface PlainBucket {
  readonly docs: ReadonlySet<number>;
  readonly cost: number;
  readonly graph: PlainGraph;
}
type Path = readonly PlainNode[];

export const idCount = ({ firstId, lastId }: PlainTerm): number => lastId - firstId + 1;

export function graphOf(terms: readonly PlainTerm[]): PlainGraph {
  const nodes: (PlainNode | null)[] = [null, null, ...terms.map((term) => ({ term, sets: ALL_SETS }))];
  const next = nodes.map((node, id) => {
    if (id === END) return [];
    const later = terms.filter(({ firstId }) => firstId > (node?.term.lastId ?? -1));
    const nearest = Math.min(...later.map(({ firstId }) => firstId));
    return later.length === 0 ? [END] : terms.flatMap(({ firstId }, at) => (firstId === nearest ? [at + 2] : []));
  });
  return { nodes, next };
}

/** Each path a chain of its own, in their order. */
function graphOfPaths(paths: readonly Path[]): PlainGraph {
  const nodes: (PlainNode | null)[] = [null, null];
  const next: number[][] = [[], []];
  for (const path of paths) {
    let from = START;
    for (const node of path) {
      next[from]!.push(nodes.length);
      from = nodes.push(node) - 1;
      next.push([]);
    }
    next[from]!.push(END);
  }
  return { nodes, next };
}

export const intersection = (a: ReadonlySet<number>, b: ReadonlySet<number>): Set<number> =>
  new Set([...a].filter((each) => b.has(each)));

/** Costs and documents of the edges from one node to the next. */
export type PlainEdges = (from: PlainNode | null, to: PlainNode) => readonly PlainEdge[];

/** The highest cost of a path, regardless of documents. */
export function highestCost(graph: PlainGraph, edges: PlainEdges, from = START): number {
  if (from === END) return 0;
  return Math.max(
    ...graph.next[from]!.map((to) => {
      const step = to === END ? 0 : Math.max(...edges(graph.nodes[from]!, graph.nodes[to]!).map(({ cost }) => cost));
      return step + highestCost(graph, edges, to);
    }),
  );
}

/** Buckets by cost, each with the graph of the paths that added documents. */
export function* bucketsByCost(
  graph: PlainGraph,
  edges: PlainEdges,
  universe: ReadonlySet<number>,
): Generator<PlainBucket> {
  const left = new Set(universe);
  const highest = highestCost(graph, edges);
  for (let cost = 0; cost <= highest; cost++) {
    const docs = new Set<number>();
    const good: Path[] = [];
    const visit = (from: number, rest: number, here: ReadonlySet<number>, path: Path): void => {
      for (const to of graph.next[from]!) {
        if (to === END) {
          const fresh = rest === 0 ? intersection(here, left) : new Set<number>();
          if (fresh.size === 0) continue;
          good.push(path);
          for (const doc of fresh) {
            docs.add(doc);
            left.delete(doc);
          }
          continue;
        }
        for (const edge of edges(graph.nodes[from]!, graph.nodes[to]!)) {
          const there = edge.cost <= rest ? intersection(here, edge.docs) : new Set<number>();
          if (there.size > 0) visit(to, rest - edge.cost, there, [...path, edge.node]);
        }
      }
    };
    visit(START, cost, new Set(left), []);
    if (docs.size > 0) yield { docs, cost, graph: graphOfPaths(good) };
  }
}

/** The rule `words`: a path may skip removable nodes; after a skipped one, those of earlier groups are skipped too. */
export function* wordsBuckets(
  graph: PlainGraph,
  groups: readonly (readonly number[])[],
  docsOf: (node: PlainNode) => ReadonlySet<number>,
  universe: ReadonlySet<number>,
): Generator<PlainBucket & { readonly highest: number }> {
  const groupOf = (id: number): number => groups.findIndex((group) => group.includes(id));
  const found: { cost: number; path: Path }[] = [];
  const visit = (from: number, cost: number, path: Path, latestSkipped: number): void => {
    for (const to of graph.next[from]!) {
      if (to === END) {
        found.push({ cost, path });
        continue;
      }
      const node = graph.nodes[to]!;
      const group = groupOf(to);
      if (group >= 0) visit(to, cost + idCount(node.term), path, Math.max(latestSkipped, group));
      if (group < 0 || group >= latestSkipped) visit(to, cost, [...path, node], latestSkipped);
    }
  };
  visit(START, 0, [], -1);
  const highest = Math.max(...found.map(({ cost }) => cost));
  const left = new Set(universe);
  for (let cost = 0; cost <= highest; cost++) {
    const docs = new Set<number>();
    const good: Path[] = [];
    for (const { path } of found.filter((each) => each.cost === cost)) {
      const fresh = path.reduce((here, node) => intersection(here, docsOf(node)), new Set(left));
      if (fresh.size === 0) continue;
      good.push(path);
      for (const doc of fresh) {
        docs.add(doc);
        left.delete(doc);
      }
    }
    if (docs.size > 0) yield { docs, cost, highest, graph: graphOfPaths(good) };
  }
}

/** Groups of node ids that may be removed, in the order of removal. */
export function removalGroups(
  graph: PlainGraph,
  strategy: MatchingStrategy,
  ids: number,
  docsOf: (node: PlainNode) => ReadonlySet<number>,
): number[][] {
  if (strategy === 'all') return [];
  const nodes = graph.nodes.flatMap((node, id) => (node ? [{ node, id }] : []));
  const counts = Array.from({ length: ids }, (_, id) => {
    const covering = nodes.filter(({ node: { term } }) => term.firstId <= id && id <= term.lastId);
    return new Set(covering.flatMap(({ node }) => [...docsOf(node)])).size || Infinity;
  });
  const ordered = [...new Set(counts)].sort((a, b) => b - a);
  const weightOf = (id: number): number => (strategy === 'last' ? ids - id : ordered.indexOf(counts[id]!));
  const costOf = ({ firstId, lastId }: PlainTerm): number =>
    Math.max(...Array.from({ length: lastId - firstId + 1 }, (_, at) => weightOf(firstId + at)));
  const removable = nodes.filter(({ node }) => node.term.kind !== 'phrase');
  const costs = [...new Set(removable.map(({ node }) => costOf(node.term)))].sort((a, b) => a - b);
  if (removable.length === nodes.length) costs.pop();
  return costs.map((cost) => removable.filter(({ node }) => costOf(node.term) === cost).map(({ id }) => id));
}

/**
 * Documents with any of the allowed expansions in the searched fields. Typos and all words of an n-gram must be in a
 * field with typo tolerance.
 */
export function nodeDocs(
  index: PlainIndex,
  { term, sets }: PlainNode,
  isLookedIn: (field: string) => boolean,
): Set<number> {
  const docs = new Set<number>();
  for (const name of sets) {
    const { words, phrases } = term.sets[name];
    const isFuzzyOnly = term.kind === 'ngram' || name === 'one' || name === 'two';
    for (const word of words) {
      const counts = ({ field, isStrict }: Occurrence): boolean => isLookedIn(field) && !(isFuzzyOnly && isStrict);
      for (const doc of docsWhere(index, (each) => isOccurrenceOf(index, each, word) && counts(each))) docs.add(doc);
    }
    for (const phrase of phrases) for (const doc of phraseDocs(index, phrase, isLookedIn)) docs.add(doc);
  }
  return docs;
}
