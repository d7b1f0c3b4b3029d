import type { Bitmap } from '@fossick/kernel';
import type { GraphNode } from '../../query/query-graph.js';
import { type ExpansionSet, idCount, maxTypoCount, NO_TYPO, ONE_TYPO, TWO_TYPOS } from '../../query/query-term.js';
import type { StepSource } from '../paths/finder.js';
import type { TermDocs } from '../terms/term-docs.js';
import { graphRule } from './graph-rule.js';
import type { RankingRule } from './ranking-rule.js';

const SET_OF_TYPO_COUNT: readonly ExpansionSet[] = [NO_TYPO, ONE_TYPO, TWO_TYPOS];

/** The rule `typo`: fewer typos first; joining n words costs n. */
export function typoRule(docs: TermDocs): RankingRule {
  const steps = new TypoSteps(docs);
  return graphRule(docs.pool, {
    steps: () => steps,
    detail: (cost, max) => ({ kind: 'typo', typoCount: cost, maxTypoCount: max - 1 }),
  });
}

/** Costs of the alternatives with 0, 1 and 2 typos, by the number of words joined. */
const COSTS: readonly (readonly number[])[] = [0, 0, 2, 3].map((joinCost) => [joinCost, joinCost + 1, joinCost + 2]);

class TypoSteps implements StepSource {
  private readonly docsOf: TermDocs;

  constructor(docsOf: TermDocs) {
    this.docsOf = docsOf;
  }

  costs(_from: GraphNode, to: GraphNode): readonly number[] {
    const costs = COSTS[idCount(to.term!)]!;
    const max = maxTypoCount(to.term!, to.set);
    return max === 2 ? costs : costs.slice(0, max + 1);
  }

  docs(_from: GraphNode, to: GraphNode, typoCount: number): Bitmap {
    return this.docsOf.ofSet(to.term!, to.set & SET_OF_TYPO_COUNT[typoCount]!);
  }

  narrowed(to: GraphNode, typoCount: number): GraphNode {
    return { ...to, set: to.set & SET_OF_TYPO_COUNT[typoCount]! };
  }
}
