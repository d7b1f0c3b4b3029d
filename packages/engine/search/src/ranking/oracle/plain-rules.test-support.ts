/** The oracle's relevancy rules: what an edge costs and which documents match it. */

import { isIndexedWord, type Phrase } from '../../query/query-terms.js';
import type { ScoreDetail } from '../rules/score-details.js';
import {
  docsWhere,
  isOccurrenceOf,
  nearness,
  type Occurrence,
  type PlainIndex,
  storedPosition,
} from './plain-index.test-support.js';
import {
  bucketsByCost,
  highestCost,
  idCount,
  intersection,
  nodeDocs,
  type PlainEdge,
  type PlainEdges,
  type PlainGraph,
  type PlainNode,
} from './plain-paths.test-support.js';
import { phraseDocs, type SetName } from './plain-terms.test-support.js';

export interface RuleBucket {
  readonly docs: ReadonlySet<number>;
  readonly graph: PlainGraph | null;
  readonly detail: ScoreDetail | null;
}
export type PlainRule = (graph: PlainGraph | null, universe: ReadonlySet<number>) => Iterable<RuleBucket>;

export interface PlainScope {
  readonly index: PlainIndex;
  /** Whether this request searches the field. */
  readonly isLookedIn: (field: string) => boolean;
  /** Weights of the request; null for the order of searchableAttributes. */
  readonly weights: Readonly<Record<string, number>> | null;
}

/** A rule of path costs. */
export function costRule(edges: PlainEdges, detail: (cost: number, max: number) => ScoreDetail): PlainRule {
  return function* (graph, universe) {
    const max = 1 + highestCost(graph!, edges);
    for (const bucket of bucketsByCost(graph!, edges, universe)) yield { ...bucket, detail: detail(bucket.cost, max) };
  };
}

const wordsOf = ({ term, sets }: PlainNode): string[] => sets.flatMap((name) => term.sets[name].words);
const phrasesOf = ({ term, sets }: PlainNode): Phrase[] => sets.flatMap((name) => term.sets[name].phrases);

export function typoEdges({ index, isLookedIn }: PlainScope): PlainEdges {
  return (_, to) => {
    const { term } = to;
    const joined = idCount(term) === 1 ? 0 : idCount(term);
    const hasOne = to.sets.includes('one');
    let most = term.budget === 0 ? 1 : term.budget === 2 && to.sets.includes('two') ? 2 : hasOne ? 1 : 0;
    if (term.kind === 'phrase') most = 0;
    const levels: readonly (readonly SetName[])[] = [['exact', 'prefixes', 'synonyms'], ['one'], ['two']];
    const edges = levels.slice(0, most + 1).map((names, typos) => [names, typos] as const);
    const hasInfixes = to.sets.includes('infixes') && term.sets.infixes.words.length > 0;
    return [...edges, ...(hasInfixes ? [[['infixes'], 3] as const] : [])].map(([names, typos]): PlainEdge => {
      const node = { ...to, sets: to.sets.filter((name) => (names as readonly SetName[]).includes(name)) };
      return { cost: typos + joined, docs: nodeDocs(index, node, isLookedIn), node };
    });
  };
}

export function proximityEdges({ index, isLookedIn }: PlainScope): PlainEdges {
  return (from, to) => {
    const base = idCount(to.term) - 1;
    const anywhere = { docs: nodeDocs(index, to, isLookedIn), node: to };
    if (from === null || from.term.end + 1 !== to.term.start) return [{ cost: base, ...anywhere }];
    const near = (distance: number): Set<number> =>
      new Set([...index.documents.keys()].filter((doc) => isNear(doc, distance)));
    const isNear = (doc: number, distance: number): boolean => {
      const lefts = ends(from, 'last', doc);
      const rights = ends(to, 'first', doc);
      if (lefts.some((left) => rights.some((right) => reaches(left, right, doc, distance)))) return true;
      const isForward = (l: string, r: string): boolean => reaches(r, l, doc, distance - 1);
      return distance > 1 && wordsOf(from).some((left) => wordsOf(to).some((right) => isForward(left, right)));
    };
    const reaches = (left: string, right: string, doc: number, distance: number): boolean => {
      const nearest = nearness(index, doc, left, right);
      return index.settings.proximityPrecision === 'byWord' ? nearest === distance : nearest !== null;
    };
    const ends = (node: PlainNode, end: 'first' | 'last', doc: number): string[] => [
      ...wordsOf(node),
      ...phrasesOf(node).flatMap((phrase) => {
        const word = end === 'first' ? phrase[0] : phrase.at(-1);
        return isIndexedWord(word) && phraseDocs(index, phrase, isLookedIn).has(doc) ? [word] : [];
      }),
    ];
    return [
      ...[1, 2, 3].map((distance): PlainEdge => ({ cost: base + distance - 1, docs: near(distance), node: to })),
      { cost: base + 3, ...anywhere },
    ];
  };
}

/** Documents where an expansion of the node occurs at a position; a phrase has the position of its first word. */
function docsAt(
  { index, isLookedIn }: PlainScope,
  node: PlainNode,
  test: (field: string, position: number) => boolean,
): Set<number> {
  const words = wordsOf(node);
  const isOne = (each: Occurrence): boolean => words.some((word) => isOccurrenceOf(index, each, word));
  const docs = docsWhere(index, (each) => test(each.field, each.position) && isOne(each));
  for (const phrase of phrasesOf(node)) {
    const first = phrase.find((word) => word !== null);
    const there = docsWhere(index, ({ word, field, position }) => word === first && test(field, position));
    for (const doc of intersection(there, phraseDocs(index, phrase, isLookedIn))) docs.add(doc);
  }
  return docs;
}

export function fieldEdges(scope: PlainScope): PlainEdges {
  const { index, isLookedIn } = scope;
  const { searchableAttributes } = index.settings;
  const requested = scope.weights;
  const levels = requested && [...new Set([...Object.values(requested), 1])].sort((a, b) => b - a);
  const ranks = levels ?? (searchableAttributes.includes('*') ? [0] : searchableAttributes);
  const rankOf = (field: string): number =>
    levels && index.weightOf(field) >= 0 ? levels.indexOf(requested![field] ?? 1) : index.weightOf(field);
  // Fields of one weight divide nothing. The reference loses a document here that the term matches only where typos are not allowed (docs/reference/relevancy.md).
  if (ranks.length === 1) return (_, to) => [{ cost: 0, docs: nodeDocs(index, to, isLookedIn), node: to }];
  return (_, to) =>
    [...ranks.keys()].map((weight): PlainEdge => {
      const isThere = (field: string): boolean => rankOf(field) === weight && isLookedIn(field);
      return { cost: weight * idCount(to.term), docs: docsAt(scope, to, isThere), node: to };
    });
}

const COSTS: readonly (readonly [upTo: number, cost: number])[] = [
  [0, 0],
  [1, 1],
  [4, 2],
  [7, 3],
  [11, 4],
  [16, 5],
  [24, 6],
  [64, 7],
  [256, 8],
  [1024, 9],
  [Infinity, 10],
];
const costOfDistance = (distance: number): number => COSTS.find(([upTo]) => distance <= upTo)![1];

export function positionEdges(scope: PlainScope): PlainEdges {
  return (_, to) => {
    const { term } = to;
    const costAt = (position: number): number => {
      const distance = Math.abs(storedPosition(position) - term.start);
      return Array.from({ length: idCount(term) }, (_unused, at) => costOfDistance(distance + at)).reduce(
        (a, b) => a + b,
      );
    };
    const most = 10 * idCount(term);
    return Array.from({ length: most + 1 }, (_unused, cost): PlainEdge => {
      return { cost, docs: docsAt(scope, to, (_field, position) => costAt(position) === cost), node: to };
    });
  };
}

/** The word itself, or the query's phrase, if it is still allowed; nothing for joined words. */
const hasExact = ({ term, sets }: PlainNode): boolean =>
  term.kind !== 'ngram' && sets.includes('exact') && (term.sets.exact.words.length > 0 || term.kind === 'phrase');

export function exactWordEdges({ index, isLookedIn }: PlainScope): PlainEdges {
  return (_, to) => {
    const exact: PlainNode = { ...to, sets: ['exact'] };
    const docs = hasExact(to) ? nodeDocs(index, exact, isLookedIn) : new Set<number>();
    const kept = to.sets.filter((name) => name === 'exact' || name === 'synonyms');
    return [
      { cost: 0, docs, node: { ...to, sets: kept } },
      { cost: idCount(to.term), docs: nodeDocs(index, to, isLookedIn), node: to },
    ];
  };
}

export function exactAttributeRule({ index, isLookedIn }: PlainScope): PlainRule {
  return function* (graph, universe) {
    const left = new Set(universe);
    const ranked: [3 | 2, Set<number>][] = [];
    const byId = new Map(
      graph!.nodes.flatMap((node) => (node && hasExact(node) ? [[node.term.firstId, node.term] as const] : [])),
    );
    const terms = [...byId.values()].sort((a, b) => a.firstId - b.firstId);
    if (terms.length > 0 && terms.every(({ firstId }, at) => firstId === at)) {
      const placed = terms.flatMap(({ words, start }) =>
        words.flatMap((word, at) => (isIndexedWord(word) ? [{ word, at: storedPosition(start + at) }] : [])),
      );
      const length = terms.reduce((sum, { start, end }) => sum + end - start + 1, 0);
      const isPlaced = (doc: number): boolean =>
        placed.every(({ word, at }) =>
          index.cut[doc]!.occurrences.some((each) => each.word === word && storedPosition(each.position) === at),
        );
      const fieldsOf = (doc: number): string[] =>
        index.fields.filter(
          (field) =>
            isLookedIn(field) &&
            placed.every(({ word }) =>
              index.cut[doc]!.occurrences.some((each) => each.word === word && each.field === field),
            ),
        );
      const start = new Set([...universe].filter((doc) => isPlaced(doc) && fieldsOf(doc).length > 0));
      const whole = new Set(
        [...start].filter(
          (doc) => length <= 30 && fieldsOf(doc).some((field) => index.cut[doc]!.counts.get(field) === length),
        ),
      );
      ranked.push([3, whole], [2, start]);
    }
    for (const [rank, docs] of ranked) {
      const bucket = intersection(docs, left);
      for (const doc of bucket) left.delete(doc);
      if (bucket.size > 0) yield { docs: bucket, graph, detail: { kind: 'exactAttribute', rank } };
    }
    if (left.size > 0) yield { docs: left, graph, detail: { kind: 'exactAttribute', rank: 1 } };
  };
}
