import type { Bitmap, None } from '@fossick/kernel';
import type { GraphNode } from '../../query/query-graph.js';
import { idCount, SET_COUNT } from '../../query/query-term.js';
import type { StepSource } from '../paths/finder.js';
import type { FieldWeights } from '../terms/field-scope.js';
import type { TermDocs } from '../terms/term-docs.js';
import { graphRule } from './graph-rule.js';
import type { RankingRule } from './ranking-rule.js';
import { scatterAnchors } from './scatter-anchors.js';

/** The rule `attributeRank`, first half of `attribute`: words in more important fields rank first. */
export function fieldsRule(docs: TermDocs, fields: FieldWeights, isUnified: boolean): RankingRule {
  const weightCount = (fields.maxWeight ?? 0) + 1;
  const costs = costsOf(weightCount);
  return graphRule(docs.pool, {
    steps: (universe) => new FieldSteps(docs, fields.weights, costs, universe),
    detail: (cost, max) => ({ kind: 'field', rank: max - cost, max, isUnified }),
    isPerDocument: weightCount > 1,
  });
}

let cachedCosts: readonly (readonly number[])[] = [];

/** Costs of the weights by the number of words that a term covers; cached for the last number of weights. */
function costsOf(weightCount: number): readonly (readonly number[])[] {
  if (cachedCosts[0]?.length !== weightCount)
    cachedCosts = [0, 1, 2, 3].map((count) => Array.from({ length: weightCount }, (_, weight) => weight * count));
  return cachedCosts;
}

class FieldSteps implements StepSource {
  private readonly docsOf: TermDocs;
  private readonly weights: Int32Array;
  private readonly costsByIdCount: readonly (readonly number[])[];
  private readonly universe: Bitmap;
  private readonly sparse: Bitmap | None;
  /** Bitmaps by weight, by nodeKey. */
  private readonly found = new Map<number, readonly Bitmap[]>();

  constructor(docsOf: TermDocs, weights: Int32Array, costsByIdCount: readonly (readonly number[])[], universe: Bitmap) {
    this.docsOf = docsOf;
    this.weights = weights;
    this.costsByIdCount = costsByIdCount;
    this.universe = universe;
    this.sparse = costsByIdCount[0]!.length === 1 ? 0 : docsOf.pool.ifSparse(universe);
  }

  costs(_from: GraphNode, to: GraphNode): readonly number[] {
    return this.costsByIdCount[idCount(to.term!)]!;
  }

  docs(_from: GraphNode, to: GraphNode): Bitmap | readonly Bitmap[] {
    if (this.costsByIdCount[0]!.length === 1) return this.docsOf.ofSet(to.term!, to.set);
    const key = nodeKey(to);
    let bitmaps = this.found.get(key);
    if (!bitmaps) {
      bitmaps = this.byWeight(to);
      this.found.set(key, bitmaps);
    }
    return bitmaps;
  }

  narrowed(to: GraphNode): GraphNode {
    return to;
  }

  close(): void {
    for (const bitmaps of this.found.values())
      for (const bitmap of bitmaps) this.docsOf.pool.releaseWithin(bitmap, this.sparse);
  }

  private byWeight(to: GraphNode): Bitmap[] {
    const { docsOf, weights, universe } = this;
    const byWeight = this.costsByIdCount[0]!.map(() => docsOf.pool.empty());
    const byField = Array.from(weights, (weight) => (weight < 0 ? 0 : byWeight[weight]!));
    scatterAnchors(
      docsOf,
      to,
      universe,
      (occurrences, within, targets) => docsOf.positions.scatterFields(occurrences, within, byField, targets),
      byField,
    );
    return byWeight;
  }
}

/** The key of a term with its allowed expansions. */
export const nodeKey = (node: GraphNode): number => node.term!.index * SET_COUNT + node.set;
