import type { IndexView } from '../view/index-view.js';
import { countFacet, type FacetCounts } from './facet-values.js';
import { liveIn, numberBound, type OpenColumn } from './open-column.js';
import type { PresentValues } from './tied-values.js';

/**
 * The counted numbers or strings of a field for the rule about ties. Where documents of several segments, or dead ones, make the places of
 * values differ from those of one column, all values of the index are counted for it: O(entries of the field), when it is first asked.
 */
export function presentValues(
  view: IndexView,
  field: string,
  counts: FacetCounts,
  side: 'numbers' | 'strings',
): PresentValues {
  const { columns } = counts;
  const present = counts[side];
  const groupsAt = (place: number): readonly number[] =>
    side === 'strings'
      ? counts.strings[place]!.groups
      : columns.map(({ column }) => numberGroup(column.numbers, counts.numbers[place]!.value, column));
  const bits = columns.map(({ segment }) => {
    const mark = view.kernel.mark();
    const copy = view.kernel.bits(liveIn(view, counts.candidates, segment));
    view.kernel.release(mark);
    return copy;
  });
  const isCandidate = (index: number, doc: number): boolean =>
    ((bits[index]![doc >>> 5] ?? 0) & (1 << (doc & 31))) !== 0;
  const [only] = columns;
  const isPlain = columns.length === 1 && only!.segment.dead === 0;
  const ranks = isPlain ? null : rankTable(view, field, counts, side);
  return {
    counts: present.map(({ count }) => count),
    indexValueCount: isPlain ? only![side].count : ranks!.count,
    rankOf: (place) => (isPlain ? groupsAt(place)[0]! : ranks!.rankOf(place)),
    *documentsOf(place) {
      const groups = groupsAt(place);
      for (let index = 0; index < columns.length; index++)
        for (const doc of docsOf(columns[index]!, side, groups[index]!)) if (isCandidate(index, doc)) yield doc;
    },
    isIn: (place, document) =>
      groupsAt(place).some(
        (group, index) => isCandidate(index, document) && holds(docsOf(columns[index]!, side, group), document),
      ),
  };
}

const NONE = new Uint32Array(0);

function numberGroup(numbers: Float64Array, value: number, column: OpenColumn['column']): number {
  const group = numberBound(column, value, false);
  return numbers[group] === value ? group : -1;
}

function docsOf({ column }: OpenColumn, side: 'numbers' | 'strings', group: number): Uint32Array {
  if (group < 0) return NONE;
  return side === 'numbers'
    ? column.numberDocs.subarray(column.numberOffsets[group], column.numberOffsets[group + 1])
    : column.stringDocs.subarray(column.stringOffsets[group], column.stringOffsets[group + 1]);
}

/** Binary search. */
function holds(docs: Uint32Array, wanted: number): boolean {
  let [low, high] = [0, docs.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (docs[middle]! < wanted) low = middle + 1;
    else high = middle;
  }
  return docs[low] === wanted;
}

interface RankTable {
  readonly count: number;
  rankOf(place: number): number;
}

/** Ranks of the present values among those of all live documents, by a walk through both. */
function rankTable(view: IndexView, field: string, counts: FacetCounts, side: 'numbers' | 'strings'): RankTable {
  const isWhole = view.kernel.count(counts.candidates) === view.documentCount;
  if (isWhole) return { count: counts[side].length, rankOf: (place) => place };
  const all = countFacet(view, view.documents, field);
  const ranks: number[] = [];
  let rank = 0;
  for (let place = 0; place < counts[side].length; place++) {
    while (!isSameValue(all, counts, side, rank, place)) rank += 1;
    ranks.push(rank);
  }
  return { count: all[side].length, rankOf: (place) => ranks[place]! };
}

function isSameValue(
  all: FacetCounts,
  some: FacetCounts,
  side: 'numbers' | 'strings',
  rank: number,
  place: number,
): boolean {
  if (side === 'numbers') return all.numbers[rank]!.value === some.numbers[place]!.value;
  return Buffer.compare(all.strings[rank]!.key, some.strings[place]!.key) === 0;
}
