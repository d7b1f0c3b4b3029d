/** Documents by the weight that scale actions give them. */
import type { DocId } from '@fossick/base';
import type { Bitmap } from '@fossick/kernel';
import type { RankedPage } from '../ranking/bucket-sort.js';
import type { BitmapPool } from '../ranking/terms/bitmap-pool.js';
import type { Scale } from './rule-effects.js';

export interface WeightGroup {
  /** The product of the weights of all actions on its documents; never 0. */
  readonly weight: number;
  readonly docs: Bitmap;
}

/**
 * The candidates in groups of one weight each, without those of weight 0. An action that would make more groups than `most` is skipped.
 * The candidates are used up. O(scales * groups * candidates / 32).
 */
export function weightGroups(
  pool: BitmapPool,
  candidates: Bitmap,
  scales: readonly Scale[],
  most: number,
): readonly WeightGroup[] {
  const { bitmaps } = pool.kernel;
  for (const { weight, docs } of scales) if (weight === 0) bitmaps.andNot(candidates, docs);
  let groups: readonly WeightGroup[] = [{ weight: 1, docs: candidates }];
  for (const { weight, docs } of scales) {
    if (weight === 0 || weight === 1) continue;
    const parted = new Map<number, Bitmap>();
    const add = (key: number, part: Bitmap): void => {
      const known = parted.get(key);
      if (bitmaps.isEmpty(part)) pool.release(part);
      else if (known === undefined) parted.set(key, part);
      else {
        bitmaps.or(known, part);
        pool.release(part);
      }
    };
    for (const group of groups) {
      const inside = pool.copyOf(group.docs);
      bitmaps.and(inside, docs);
      const outside = pool.copyOf(group.docs);
      bitmaps.andNot(outside, docs);
      add(group.weight, outside);
      add(group.weight * weight, inside);
    }
    if (parted.size === 0 || parted.size > most) {
      for (const part of parted.values()) pool.release(part);
      continue;
    }
    for (const group of groups) pool.release(group.docs);
    groups = [...parted].map(([key, part]) => ({ weight: key, docs: part }));
  }
  return groups;
}

/** The page of one group, with its weight in the details. */
export const weightedPage = (page: RankedPage, weight: number): RankedPage => ({
  ...page,
  documents: page.documents.map(({ docId, details }) => ({
    docId,
    details: [...details, { kind: 'scale', weight, rules: [] }],
  })),
});

/** The page with the names of the rules that weigh its documents. O(documents * scales) */
export function namedPage(pool: BitmapPool, scales: readonly Scale[], page: RankedPage): RankedPage {
  const documents = page.documents.map(({ docId, details }) => ({
    docId,
    details: details.map((detail) =>
      detail.kind === 'scale' ? { ...detail, rules: scalingRules(pool, scales, docId) } : detail,
    ),
  }));
  return { ...page, documents };
}

/** The rules whose actions weigh a document, each once. O(scales) */
function scalingRules(pool: BitmapPool, scales: readonly Scale[], docId: DocId): readonly string[] {
  return [...new Set(scales.filter(({ docs }) => pool.kernel.bitmaps.has(docs, docId)).map(({ ruleUid }) => ruleUid))];
}
