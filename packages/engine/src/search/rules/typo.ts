import { type DerivationSet, EXACT, idCount, maxTypoCount, ONE_TYPO, TWO_TYPOS, ZERO_TYPO } from '../query-term.js';
import type { TermDocs } from '../term-docs.js';
import { graphRule } from './graph-rule.js';
import type { RankingRule } from './ranking-rule.js';

const SET_OF_TYPO_COUNT: readonly DerivationSet[] = [EXACT | ZERO_TYPO, ONE_TYPO, TWO_TYPOS];

/** The rule `typo` (spec 11 section 8.2): fewer typos first; joining n words costs n. */
export function typoRule(docs: TermDocs): RankingRule {
  return graphRule(docs.pool, {
    edges: () => (_, to) => {
      const term = to.term!;
      const joinCost = idCount(term) === 1 ? 0 : idCount(term);
      return Array.from({ length: maxTypoCount(term, to.set) + 1 }, (_unused, typoCount) => {
        const set = to.set & SET_OF_TYPO_COUNT[typoCount]!;
        return { cost: typoCount + joinCost, docs: () => docs.ofSet(term, set), node: { ...to, set } };
      });
    },
    detail: (cost, max) => ({ kind: 'typo', typoCount: cost, maxTypoCount: max - 1 }),
  });
}
