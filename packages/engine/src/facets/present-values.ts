import type { IndexView } from '../view/index-view.js';
import {
  type CountedNumber,
  type CountedString,
  type FieldCounts,
  fieldCounts,
  presentNumbers,
  presentStrings,
} from './counted-values.js';
import type { OpenColumn, Side } from './open-column.js';
import type { PresentValues } from './tied-values.js';

/** Numbers or strings that some candidate has, ascending. */
type Counted = readonly (CountedNumber | CountedString)[];

/**
 * The counted numbers or strings of a field for the rule about ties. Where documents of several segments, or dead ones, make the places of
 * values differ from those of one column, all values of the index are counted for it: O(entries of the field), when it is first asked.
 */
export function presentValues(
  view: IndexView,
  field: string,
  counts: FieldCounts,
  side: Side,
  present: Counted,
): PresentValues {
  const columns = counts.columns.map(({ column }) => column);
  const groupsAt = (place: number): readonly number[] => groupsOf(present[place]!, columns);
  const isCandidate = ({ segment, kernel }: OpenColumn, doc: number): boolean =>
    kernel.has(counts.candidates, doc) && (segment.dead === 0 || !kernel.has(segment.dead, doc));
  const [only] = columns;
  const isPlain = columns.length === 1 && only!.segment.dead === 0;
  const ranks = isPlain ? null : rankTable(view, field, counts, side, present);
  return {
    counts: present.map(({ count }) => count),
    indexValueCount: isPlain ? only![side].count : ranks!.count,
    rankOf: (place) => (isPlain ? groupsAt(place)[0]! : ranks!.rankOf(place)),
    *documentsOf(place) {
      const groups = groupsAt(place);
      for (const [index, column] of columns.entries())
        for (const doc of docsOf(column, side, groups[index]!)) if (isCandidate(column, doc)) yield doc;
    },
    isIn: (place, document) =>
      groupsAt(place).some(
        (group, index) =>
          isCandidate(columns[index]!, document) && holds(docsOf(columns[index]!, side, group), document),
      ),
  };
}

const NONE = new Uint32Array(0);

function groupsOf(counted: CountedNumber | CountedString, columns: readonly OpenColumn[]): readonly number[] {
  return 'groups' in counted ? counted.groups : columns.map((column) => column.groupOfNumber(counted.value));
}

function docsOf(column: OpenColumn, side: Side, group: number): Uint32Array {
  if (group < 0) return NONE;
  const { offsets, docs } = column[side];
  return column.kernel.readU32(docs + column.kernel.loadU32(offsets + group * 4) * 4, column.sizeOf(side, group));
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
function rankTable(view: IndexView, field: string, counts: FieldCounts, side: Side, present: Counted): RankTable {
  const isWhole = view.kernel.count(counts.candidates) === view.documentCount;
  if (isWhole) return { count: present.length, rankOf: (place) => place };
  const every = fieldCounts(view, view.documents, field);
  const ranks: number[] = [];
  let count = 0;
  for (const value of side === 'numbers' ? presentNumbers(every) : presentStrings(every)) {
    const next = present[ranks.length];
    if (next !== undefined && isSameValue(value, next)) ranks.push(count);
    count += 1;
  }
  return { count, rankOf: (place) => ranks[place]! };
}

function isSameValue(left: CountedNumber | CountedString, right: CountedNumber | CountedString): boolean {
  if ('key' in left) return 'key' in right && Buffer.compare(left.key, right.key) === 0;
  return 'value' in right && left.value === right.value;
}
