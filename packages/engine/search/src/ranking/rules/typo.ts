import type { Bitmap } from '@fossick/kernel';
import type { GraphNode } from '../../query/query-graph.js';
import {
  type ExpansionSet,
  hasInfixes,
  INFIXES,
  idCount,
  maxTypoCount,
  NO_TYPO,
  ONE_TYPO,
  TWO_TYPOS,
} from '../../query/query-term.js';
import type { StepSource } from '../paths/finder.js';
import type { TermDocs } from '../terms/term-docs.js';
import { graphRule } from './graph-rule.js';
import type { RankingRule } from './ranking-rule.js';

const SET_OF_TYPO_COUNT: readonly ExpansionSet[] = [NO_TYPO, ONE_TYPO, TWO_TYPOS];

/** The rule `typo`: fewer typos first; joining n words costs n, another word that contains the typed one as much as three typos. */
export function typoRule(docs: TermDocs): RankingRule {
  const steps = new TypoSteps(docs);
  return graphRule(docs.pool, {
    steps: () => steps,
    detail: (cost, max) => ({ kind: 'typo', typoCount: cost, maxTypoCount: max - 1 }),
  });
}

/** The cost of another word that contains the typed one: more than any number of typos in one word. */
const INFIX_COST = 3;

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
    const typos = max === 2 ? costs : costs.slice(0, max + 1);
    return hasInfixes(to.term!, to.set) ? [...typos, costs[0]! + INFIX_COST] : typos;
  }

  docs(_from: GraphNode, to: GraphNode, alternative: number): Bitmap {
    return this.docsOf.ofSet(to.term!, setOf(to, alternative));
  }

  narrowed(to: GraphNode, alternative: number): GraphNode {
    return { term: to.term, set: setOf(to, alternative), isMandatory: to.isMandatory };
  }
}

/** The expansions of an alternative: those with its number of typos, or words that contain the typed one, which are the last. */
function setOf({ term, set }: GraphNode, alternative: number): ExpansionSet {
  return set & (alternative > maxTypoCount(term!, set) ? INFIXES : SET_OF_TYPO_COUNT[alternative]!);
}
