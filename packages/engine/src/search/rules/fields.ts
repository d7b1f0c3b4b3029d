import type { Ptr } from '@fossick/kernel';
import type { GraphNode } from '../query-graph.js';
import { idCount } from '../query-term.js';
import type { TermDocs } from '../term-docs.js';
import { graphRule } from './graph-rule.js';
import type { RankingRule } from './ranking-rule.js';
import { spreadAnchors } from './spread.js';

/** Which fields are searched and how much they weigh (spec 11 section 7.1). */
export interface FieldWeights {
  /** By field id; -1 where the field is not searched. */
  readonly weights: Int32Array;
  /** null when searchableAttributes is not user-defined: all weigh 0. */
  readonly maxWeight: number | null;
}

/** The rule `attributeRank`, first half of `attribute` (spec 11 section 8.4): words in the more important fields first. */
export function fieldsRule(docs: TermDocs, fields: FieldWeights, isUnified: boolean): RankingRule {
  const weightCount = (fields.maxWeight ?? 0) + 1;
  return graphRule(docs.pool, {
    edges: (universe) => {
      const found = new Map<string, readonly Ptr[]>();
      const byWeight = (to: GraphNode): readonly Ptr[] => {
        const key = `${to.term!.index}.${to.set}`;
        let bitmaps = found.get(key);
        if (!bitmaps) {
          bitmaps = docsByWeight(docs, to, fields.weights, weightCount, universe);
          found.set(key, bitmaps);
        }
        return bitmaps;
      };
      return (_, to) => {
        if (weightCount === 1) return [{ cost: 0, docs: () => docs.ofSet(to.term!, to.set), node: to }];
        return Array.from({ length: weightCount }, (_unused, weight) => ({
          cost: weight * idCount(to.term!),
          docs: () => byWeight(to)[weight]!,
          node: to,
        }));
      };
    },
    detail: (cost, max) => ({ kind: 'field', rank: max - cost, max, isUnified }),
  });
}

function docsByWeight(docs: TermDocs, to: GraphNode, weights: Int32Array, weightCount: number, universe: Ptr): Ptr[] {
  const byWeight = Array.from({ length: weightCount }, () => docs.pool.empty());
  const byField = Array.from(weights, (weight) => (weight < 0 ? 0 : byWeight[weight]!));
  spreadAnchors(
    docs,
    to,
    universe,
    (occurrences, within, targets) => docs.spreadFields(occurrences, within, byField, targets),
    byField,
  );
  return byWeight;
}
