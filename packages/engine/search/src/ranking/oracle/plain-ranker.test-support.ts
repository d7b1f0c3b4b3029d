/** The oracle: ranks plain documents by the definition of the rules, as slowly and as plainly as possible. */
import type { MatchingStrategy } from '../../query/query-graph.js';
import { globalScore, type ScoreDetail } from '../rules/score-details.js';
import { docsWhere, type PlainIndex } from './plain-index.test-support.js';
import {
  END,
  graphOf,
  intersection,
  nodeDocs,
  type PlainNode,
  removalGroups,
  START,
  wordsBuckets,
} from './plain-paths.test-support.js';
import {
  costRule,
  exactAttributeRule,
  exactWordEdges,
  fieldEdges,
  type PlainRule,
  type PlainScope,
  positionEdges,
  proximityEdges,
  typoEdges,
} from './plain-rules.test-support.js';
import { type PlainQuery, phraseDocs, plainTerms } from './plain-terms.test-support.js';

export interface OracleRequest {
  readonly q: string;
  readonly strategy: MatchingStrategy;
  readonly searchOn: readonly string[] | null;
  /** Words and phrases that are searched for; ten when absent. */
  readonly maxTerms?: number;
  /** Weights by attribute in place of the order of searchableAttributes. */
  readonly weights?: Readonly<Record<string, number>>;
}
export interface OracleAnswer {
  readonly candidateCount: number;
  readonly hits: readonly { readonly doc: number; readonly details: readonly ScoreDetail[]; readonly score: number }[];
}

export function rankPlainly(index: PlainIndex, request: OracleRequest): OracleAnswer {
  const isLookedIn = (field: string): boolean =>
    index.weightOf(field) >= 0 && (request.searchOn?.includes(field) ?? true);
  const scope: PlainScope = { index, isLookedIn, weights: request.weights ?? null };
  const query = plainTerms(index, request.q, request.maxTerms);
  const universe = new Set(index.documents.keys());
  for (const word of query.negativeWords)
    removeAll(
      universe,
      docsWhere(index, (each) => each.word === word && isLookedIn(each.field)),
    );
  for (const phrase of query.negativePhrases) removeAll(universe, phraseDocs(index, phrase, isLookedIn));
  if (query.terms.length === 0) {
    const rules = namesOf(index).flatMap((name) => sortRules(index, name));
    return answer(universe, bucketSort(rules, null, universe, []));
  }
  const graph = graphOf(query.terms);
  const docsOf = (node: PlainNode): Set<number> => nodeDocs(index, node, isLookedIn);
  const groups = removalGroups(graph, request.strategy, query.idCount, docsOf);
  const kept = graph.nodes.map((node, id) => (groups.flat().includes(id) ? null : node));
  const candidates = docsOfPaths(kept, graph.next, docsOf, universe);
  const rules = ruleList(scope, request.strategy, wordsRule(query, groups, docsOf));
  return answer(candidates, bucketSort(rules, graph, candidates, []));
}

const answer = (candidates: ReadonlySet<number>, hits: OracleAnswer['hits']): OracleAnswer => ({
  candidateCount: candidates.size,
  hits,
});

function removeAll(from: Set<number>, docs: ReadonlySet<number>): void {
  for (const doc of docs) from.delete(doc);
}

/** Documents that match some path from `at` to the end; null nodes match every document. */
function docsOfPaths(
  nodes: readonly (PlainNode | null)[],
  next: readonly (readonly number[])[],
  docsOf: (node: PlainNode) => ReadonlySet<number>,
  everything: ReadonlySet<number>,
  at = START,
): Set<number> {
  if (at === END) return new Set(everything);
  const found = new Set<number>();
  for (const to of next[at]!) {
    const node = nodes[to];
    const rest = docsOfPaths(nodes, next, docsOf, everything, to);
    for (const doc of node ? intersection(rest, docsOf(node)) : rest) found.add(doc);
  }
  return found;
}

function wordsRule(
  query: PlainQuery,
  groups: readonly (readonly number[])[],
  docsOf: (node: PlainNode) => ReadonlySet<number>,
): PlainRule {
  return function* (graph, universe) {
    const phrases = query.terms.filter(({ kind }) => kind === 'phrase');
    const phraseWords = phrases.reduce((sum, { words }) => sum + words.filter((word) => word !== null).length, 0);
    for (const bucket of wordsBuckets(graph!, groups, docsOf, universe)) {
      const max = 1 + Math.max(0, phraseWords - 1) + bucket.highest;
      yield { ...bucket, detail: { kind: 'words', matchingWords: max - bucket.cost, maxMatchingWords: max } };
    }
  };
}

function ruleList(scope: PlainScope, strategy: MatchingStrategy, words: PlainRule): PlainRule[] {
  const rules: PlainRule[] = [];
  let hasWords = strategy === 'all';
  const addWords = (): void => {
    if (!hasWords) rules.push(words);
    hasWords = true;
  };
  const position = (isUnified: boolean): PlainRule =>
    costRule(positionEdges(scope), (cost, max) => ({ kind: 'position', rank: max - cost, max, isUnified }));
  const field = (isUnified: boolean): PlainRule =>
    costRule(fieldEdges(scope), (cost, max) => ({ kind: 'field', rank: max - cost, max, isUnified }));
  for (const name of namesOf(scope.index)) {
    if (['typo', 'proximity', 'attribute', 'attributeRank', 'wordPosition', 'exactness', 'words'].includes(name))
      addWords();
    if (name === 'typo')
      rules.push(costRule(typoEdges(scope), (cost, max) => ({ kind: 'typo', typoCount: cost, maxTypoCount: max - 1 })));
    if (name === 'proximity')
      rules.push(costRule(proximityEdges(scope), (cost, max) => ({ kind: 'proximity', rank: max - cost, max })));
    if (name === 'attribute') rules.push(field(true), position(true));
    if (name === 'attributeRank') rules.push(field(false));
    if (name === 'wordPosition') rules.push(position(false));
    if (name === 'exactness') {
      const exactWords = costRule(exactWordEdges(scope), (cost, max) => ({
        kind: 'exactWords',
        matchingWords: max - 1 - cost,
        maxMatchingWords: max - 1,
      }));
      rules.push(exactAttributeRule(scope), exactWords);
    }
    rules.push(...sortRules(scope.index, name));
  }
  return rules;
}

/** The rules; scores have a model of their own (scores/score-rule.test.ts). */
const namesOf = ({ settings }: PlainIndex): string[] =>
  settings.rankingRules.filter((rule) => typeof rule === 'string');

/** A custom rule on a field of numbers. */
function sortRules(index: PlainIndex, name: string): PlainRule[] {
  const [field, direction] = name.split(':');
  if (field === undefined || direction === undefined) return [];
  return [
    function* (graph, universe) {
      const numberOf = (doc: number): unknown => index.documents[doc]![field] ?? null;
      const values = [...new Set([...universe].map(numberOf))].filter((value): value is number => value !== null);
      const ordered: (number | null)[] = [...values.sort((a, b) => (direction === 'asc' ? a - b : b - a)), null];
      for (const value of ordered) {
        const docs = new Set([...universe].filter((doc) => numberOf(doc) === value));
        if (docs.size > 0) yield { docs, graph, detail: { kind: 'sort', key: name, isHidden: false, value } };
      }
    },
  ];
}

function bucketSort(
  rules: readonly PlainRule[],
  graph: Parameters<PlainRule>[0],
  universe: ReadonlySet<number>,
  details: readonly ScoreDetail[],
): OracleAnswer['hits'] {
  const [rule, ...later] = rules;
  if (!rule) return [...universe].sort((a, b) => a - b).map((doc) => ({ doc, details, score: globalScore(details) }));
  return [...rule(graph, universe)].flatMap((bucket) =>
    bucketSort(later, bucket.graph, bucket.docs, bucket.detail ? [...details, bucket.detail] : details),
  );
}
