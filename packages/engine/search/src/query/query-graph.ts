/**
 * The query graph: nodes are terms, edges lead to the terms that may follow. Node 0 is the start, node 1 the end.
 */
import { ALL_EXPANSIONS, type ExpansionSet, idCount, type QueryTerm } from './query-term.js';

/** Which words may be dropped when too few documents match them all: the last ones, none, or the most frequent ones. */
export type MatchingStrategy = 'last' | 'all' | 'frequency';

/** Always a literal with these members in this order: a copy by spread has another hidden class, and V8 then compiles what reads nodes again. */
export interface GraphNode {
  /** null for start and end. */
  readonly term: QueryTerm | null;
  /** Which expansions are still allowed here. */
  readonly set: ExpansionSet;
  /** Set by exactness: the node is never removed again. */
  readonly isMandatory: boolean;
}

export interface QueryGraph {
  readonly nodes: readonly GraphNode[];
  /** Successors by node, ascending. */
  readonly next: readonly (readonly number[])[];
}

export const START = 0;
export const END = 1;
const TERMINAL: GraphNode = { term: null, set: 0, isMandatory: true };

/**
 * @param terms in creation order: each word, then the n-grams that end with it
 */
export function buildQueryGraph(terms: readonly QueryTerm[]): QueryGraph {
  const nodes: GraphNode[] = [TERMINAL, TERMINAL];
  for (const term of terms) nodes.push({ term, set: ALL_EXPANSIONS, isMandatory: false });
  const followers = (lastId: number): number[] => {
    let nearestId = Number.POSITIVE_INFINITY;
    for (const { firstId } of terms) if (firstId > lastId && firstId < nearestId) nearestId = firstId;
    if (nearestId === Number.POSITIVE_INFINITY) return [END];
    return terms.flatMap((term, index) => (term.firstId === nearestId ? [index + 2] : []));
  };
  const next = nodes.map((node, id) => (id === END ? [] : followers(node.term ? node.term.lastId : -1)));
  return { nodes, next };
}

/** One path through a graph that matched documents: its narrowed nodes without start and end. */
export type PathNodes = readonly GraphNode[];

/** The graph whose paths are exactly the given ones; paths share their suffixes. */
export function graphOfPaths(paths: readonly PathNodes[]): QueryGraph {
  const nodes: GraphNode[] = [TERMINAL, TERMINAL];
  const next: number[][] = [[], []];
  const bySuffix = new Map<string, number>();
  for (const path of paths) {
    let successor = END;
    for (let at = path.length - 1; at >= 0; at--) {
      const node = path[at]!;
      const key = `${node.term!.index}.${node.set}.${node.isMandatory ? 1 : 0}.${successor}`;
      let id = bySuffix.get(key);
      if (id === undefined) {
        id = nodes.push(node) - 1;
        next.push([successor]);
        bySuffix.set(key, id);
      }
      successor = id;
    }
    if (!next[START]!.includes(successor)) next[START]!.push(successor);
  }
  return { nodes, next };
}

/**
 * The order in which terms may be dropped: groups of node ids, the first dropped first.
 * @param weightOf the weight of an original term's id
 */
export function removalGroups(graph: QueryGraph, weightOf: (id: number) => number): number[][] {
  const byCost = new Map<number, number[]>();
  let mustKeepSome = true;
  graph.nodes.forEach((node, nodeId) => {
    if (!node.term) return;
    if (node.isMandatory || node.term.kind === 'phrase') {
      mustKeepSome = false;
      return;
    }
    let cost = 0;
    for (let id = node.term.firstId; id <= node.term.lastId; id++) cost = Math.max(cost, weightOf(id));
    const group = byCost.get(cost);
    if (group) group.push(nodeId);
    else byCost.set(cost, [nodeId]);
  });
  const groups = [...byCost.entries()].sort(([a], [b]) => a - b).map(([, group]) => group);
  if (mustKeepSome) groups.pop();
  return groups;
}

/** The number of term ids that a node covers, for costs that count terms. */
export const nodeIdCount = (node: GraphNode): number => (node.term ? idCount(node.term) : 0);
