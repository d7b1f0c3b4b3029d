import type { Ptr } from '@fossick/kernel';
import type { RuleEdge } from '../path-finder.js';
import type { GraphNode } from '../query-graph.js';
import { idCount, phrasesOf } from '../query-term.js';
import type { Occurrences, TermDocs } from '../term-docs.js';
import { graphRule } from './graph-rule.js';
import type { RankingRule } from './ranking-rule.js';

/** Documents where two neighbours stand 1, 2 or 3 apart. */
type NearDocs = readonly [near1: Ptr, near2: Ptr, near3: Ptr];

/** In so many documents, those with both words side by side are looked for alone: most pages need no others. */
const ADJACENT_FIRST_MIN = 500;

/**
 * The rule `proximity` (spec 11 section 8.3): neighbours of the query close together first. Nothing about pairs is stored: distances are
 * read from the positions of both words, in the documents of this bucket only.
 */
export function proximityRule(docs: TermDocs): RankingRule {
  return graphRule(docs.pool, {
    edges: (universe) => {
      const pairs = new Map<string, NearPair>();
      const isLarge = docs.pool.kernel.count(universe) >= ADJACENT_FIRST_MIN;
      const nearOf = (from: GraphNode, to: GraphNode): NearPair => {
        const key = `${from.term!.index}.${from.set}.${to.term!.index}.${to.set}`;
        let found = pairs.get(key);
        if (!found) {
          found = new NearPair(docs, from, to, universe, isLarge);
          pairs.set(key, found);
        }
        return found;
      };
      return (from, to) => edgesBetween(docs, from, to, () => nearOf(from, to));
    },
    detail: (cost, max) => ({ kind: 'proximity', rank: max - cost, max }),
  });
}

function edgesBetween(docs: TermDocs, from: GraphNode, to: GraphNode, near: () => NearPair): RuleEdge[] {
  const joinCost = idCount(to.term!) - 1;
  const anywhere = (cost: number): RuleEdge => ({ cost, docs: () => docs.ofSet(to.term!, to.set), node: to });
  if (!from.term || from.term.endPosition + 1 !== to.term!.startPosition) return [anywhere(joinCost)];
  const close = [0, 1, 2].map(
    (at): RuleEdge => ({ cost: joinCost + at, docs: () => near().apart(at as 0 | 1 | 2), node: to }),
  );
  return [...close, anywhere(joinCost + 3)];
}

/** The documents of one pair of neighbours, looked for as they are asked for. */
class NearPair {
  private readonly near: NearDocs;
  private isAdjacentKnown = false;
  private isAllKnown = false;

  constructor(
    private readonly docs: TermDocs,
    private readonly from: GraphNode,
    private readonly to: GraphNode,
    private readonly universe: Ptr,
    private readonly isLarge: boolean,
  ) {
    const { pool } = docs;
    this.near = [pool.empty(), pool.empty(), pool.empty()];
  }

  /** Documents where they stand `at` + 1 apart. */
  apart(at: 0 | 1 | 2): Ptr {
    if (at === 0 && this.isLarge) this.findAdjacent();
    else this.findAll();
    return this.near[at];
  }

  private findAdjacent(): void {
    if (this.isAdjacentKnown || this.isAllKnown) return;
    this.isAdjacentKnown = true;
    const [near1] = this.near;
    this.meetInOrder((left, right, within) => this.docs.orAdjacent(left, right, within, this.universe, near1));
  }

  private findAll(): void {
    if (this.isAllKnown) return;
    this.isAllKnown = true;
    const { docs, from, to, universe } = this;
    const [, near2, near3] = this.near;
    this.meetInOrder((left, right, within) => docs.orNear(left, right, within, universe, this.near));
    // Turned around, single words only; one more than their distance (spec 11 section 8.3).
    const unused = docs.pool.empty();
    const turnedLeft = docs.wordOccurrences(to.term!, to.set, false);
    const turnedRight = docs.wordOccurrences(from.term!, from.set, false);
    docs.pool.checkTime();
    docs.orNear(turnedLeft, turnedRight, universe, universe, [near2, near3, unused]);
    docs.pool.giveBack(unused);
  }

  private meetInOrder(meet: (left: Occurrences, right: Occurrences, within: Ptr) => void): void {
    const { docs, from, to, universe } = this;
    const lefts = [docs.wordOccurrences(from.term!, from.set, true), ...phraseEnds(docs, from, 'last')];
    const rights = [docs.wordOccurrences(to.term!, to.set, true), ...phraseEnds(docs, to, 'first')];
    for (const left of lefts)
      for (const right of rights) {
        docs.pool.checkTime();
        const within = docs.pool.copyOf(universe);
        for (const part of [left.within, right.within]) if (part !== 0) docs.pool.kernel.and(within, part);
        meet(left, right, within);
        docs.pool.giveBack(within);
      }
  }
}

function phraseEnds(docs: TermDocs, node: GraphNode, end: 'first' | 'last'): Occurrences[] {
  return phrasesOf(node.term!, node.set).flatMap((phrase) => docs.phraseOccurrences(phrase, end) ?? []);
}
