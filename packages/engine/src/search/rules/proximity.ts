import type { Ptr } from '@fossick/kernel';
import type { RuleEdge } from '../path-finder.js';
import type { GraphNode } from '../query-graph.js';
import { idCount, phrasesOf } from '../query-term.js';
import type { Occurrences, TermDocs } from '../term-docs.js';
import { graphRule } from './graph-rule.js';
import type { RankingRule } from './ranking-rule.js';

/** Documents where two neighbours stand 1, 2 or 3 apart. */
type NearDocs = readonly [near1: Ptr, near2: Ptr, near3: Ptr];

/**
 * The rule `proximity` (spec 11 section 8.3): neighbours of the query close together first. Nothing about pairs is stored: distances are
 * read from the positions of both words, in the documents of this bucket only.
 */
export function proximityRule(docs: TermDocs): RankingRule {
  return graphRule(docs.pool, {
    edges: (universe) => {
      const pairs = new Map<string, NearDocs>();
      const nearOf = (from: GraphNode, to: GraphNode): NearDocs => {
        const key = `${from.term!.index}.${from.set}.${to.term!.index}.${to.set}`;
        let found = pairs.get(key);
        if (!found) {
          found = findNear(docs, from, to, universe);
          pairs.set(key, found);
        }
        return found;
      };
      return (from, to) => edgesBetween(docs, from, to, () => nearOf(from, to));
    },
    detail: (cost, max) => ({ kind: 'proximity', rank: max - cost, max }),
  });
}

function edgesBetween(docs: TermDocs, from: GraphNode, to: GraphNode, near: () => NearDocs): RuleEdge[] {
  const joinCost = idCount(to.term!) - 1;
  const anywhere = (cost: number): RuleEdge => ({ cost, docs: () => docs.ofSet(to.term!, to.set), node: to });
  if (!from.term || from.term.endPosition + 1 !== to.term!.startPosition) return [anywhere(joinCost)];
  const close = [0, 1, 2].map((at): RuleEdge => ({ cost: joinCost + at, docs: () => near()[at]!, node: to }));
  return [...close, anywhere(joinCost + 3)];
}

function findNear(docs: TermDocs, from: GraphNode, to: GraphNode, universe: Ptr): NearDocs {
  const { pool } = docs;
  const near: NearDocs = [pool.empty(), pool.empty(), pool.empty()];
  const meet = (left: Occurrences, right: Occurrences, target: NearDocs): void => {
    pool.checkTime();
    const within = pool.copyOf(universe);
    for (const part of [left.within, right.within]) if (part !== 0) pool.kernel.and(within, part);
    docs.orNear(left, right, within, universe, target);
    pool.giveBack(within);
  };
  const lefts = [docs.wordOccurrences(from.term!, from.set, true), ...phraseEnds(docs, from, 'last')];
  const rights = [docs.wordOccurrences(to.term!, to.set, true), ...phraseEnds(docs, to, 'first')];
  for (const left of lefts) for (const right of rights) meet(left, right, near);

  // Turned around, single words only; one more than their distance (spec 11 section 8.3).
  const unused = pool.empty();
  const turnedLeft = docs.wordOccurrences(to.term!, to.set, false);
  const turnedRight = docs.wordOccurrences(from.term!, from.set, false);
  meet(turnedLeft, turnedRight, [near[1], near[2], unused]);
  pool.giveBack(unused);
  return near;
}

function phraseEnds(docs: TermDocs, node: GraphNode, end: 'first' | 'last'): Occurrences[] {
  return phrasesOf(node.term!, node.set).flatMap((phrase) => docs.phraseOccurrences(phrase, end) ?? []);
}
