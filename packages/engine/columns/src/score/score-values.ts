/** Scores of documents, computed from columns. */
import { type DocIds, isCalendarDay, latin1Text, unreachable } from '@fossick/base';
import { applied, type ScoreExpression, type ScoreNode } from '@fossick/filter/score';
import { columnReaders } from '../column-readers.js';
import { distanceMetres } from '../geo-distance.js';
import type { ColumnView } from '../port.js';
import type { ColumnReader, Side } from '../reading/column-reader.js';

/** Documents this many times fewer than those with the field are looked up one by one. */
const FEW_SHARE = 64;
/** Entries between two looks at the clock. */
const STEP = 65_536;
const latest = (dates: readonly number[]): number => {
  const known = dates.filter((date) => !Number.isNaN(date));
  return known.length === 0 ? Number.NaN : Math.max(...known);
};
const [ZERO, NINE] = [0x30, 0x39];
const LONGEST_DATE = 40;
const DATE = /^\d{4}-\d{2}-\d{2}(?:[t ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:z|[+-]\d{2}:\d{2})?)?$/;

/** Documents that are computed together. */
const BATCH = 4_096;

/**
 * The score of each of `docs`, which ascend; NaN where it is missing. O(documents * nodes), and what reading the fields costs.
 * @param nowSeconds the value of `now`, in seconds since 1970
 * @param check called for each batch; may throw
 */
export function scoreValues(
  view: ColumnView,
  { node, fields }: ScoreExpression,
  docs: DocIds,
  nowSeconds: number,
  check: () => void,
): Float64Array {
  const names = fields.flatMap((field) => (field === '_geo' ? ['_geo.lat', '_geo.lng'] : [field]));
  const columns = new Map(names.map((name) => [name, numbersByDocument(view, name, docs, check)]));
  const scores = new Float64Array(docs.length);
  for (let from = 0; from < docs.length; from += BATCH) {
    check();
    const to = Math.min(from + BATCH, docs.length);
    const batch = evaluated(node, { columns, nowSeconds, from, to });
    // -0 and 0 are one score
    for (let at = from; at < to; at++) scores[at] = batch[at - from]! + 0;
  }
  return scores;
}

interface Batch {
  readonly columns: ReadonlyMap<string, Float64Array>;
  readonly nowSeconds: number;
  readonly from: number;
  readonly to: number;
}

function evaluated(node: ScoreNode, batch: Batch): Float64Array {
  const { columns, nowSeconds, from, to } = batch;
  switch (node.kind) {
    case 'number':
      return new Float64Array(to - from).fill(node.value);
    case 'now':
      return new Float64Array(to - from).fill(nowSeconds);
    case 'field':
      return columns.get(node.name)!.subarray(from, to);
    case 'geoDistance': {
      const [lats, lngs] = [columns.get('_geo.lat')!, columns.get('_geo.lng')!];
      return new Float64Array(to - from).map((_, at) => distanceTo(node, lats[from + at]!, lngs[from + at]!));
    }
    case 'call': {
      const [a, b = a, c = a] = node.args.map((arg) => evaluated(arg, batch));
      return new Float64Array(to - from).map((_, at) => applied(node.name, a![at]!, b![at]!, c![at]!));
    }
    default:
      return unreachable(node);
  }
}

/** Metres; NaN for a document without a point. */
function distanceTo(point: { readonly lat: number; readonly lng: number }, lat: number, lng: number): number {
  return Number.isNaN(lat) || Number.isNaN(lng) ? Number.NaN : distanceMetres(point.lat, point.lng, lat, lng);
}

/**
 * For each of `docs`, which ascend: its greatest number in the field; without a number the latest date among its texts, in seconds since
 * 1970; NaN without either. O(documents * segments) for few of them, O(entries of the field + documents) for many.
 * @param check called now and then; may throw
 */
function numbersByDocument(view: ColumnView, field: string, docs: DocIds, check: () => void): Float64Array {
  const columns = columnReaders(view, field);
  const docCount = columns.reduce((sum, column) => sum + column.docCount, 0);
  const isSparse = docs.length * FEW_SHARE < docCount && columns.every((column) => column.prepareForward() !== null);
  return isSparse ? lookedUp(columns, docs, check) : spread(view, columns, docs, check);
}

function lookedUp(columns: readonly ColumnReader[], docs: DocIds, check: () => void): Float64Array {
  const found = new Float64Array(docs.length).fill(Number.NaN);
  for (const column of columns) {
    const { kernel, firstDoc, lastDoc, segment, numberCount } = column;
    const forward = column.loadForward();
    for (let at = 0; at < docs.length; at++) {
      if (at % STEP === 0) check();
      const doc = docs[at]!;
      if (doc < firstDoc || doc > lastDoc) continue;
      if (segment.deleted !== 0 && kernel.bitmaps.has(segment.deleted, doc)) continue;
      const groups = kernel.columns.groupsOf(forward, doc);
      if (groups === undefined) continue;
      const last = groups.findLast((group) => group < numberCount);
      if (last !== undefined) found[at] = Number(column.numberAt(last));
      else found[at] = latest(Array.from(groups, (group) => secondsOfDate(column.textAt(group - numberCount))));
    }
  }
  return found;
}

/** Goes through all entries of the columns, which costs less than looking up many documents. */
function spread(view: ColumnView, columns: readonly ColumnReader[], docs: DocIds, check: () => void): Float64Array {
  const byDoc = new Float64Array(view.bitCount).fill(Number.NaN);
  for (const column of columns) {
    const { deleted } = column.segment;
    const target = { byDoc, deletedBits: deleted === 0 ? null : view.kernel.bitmaps.bits(deleted), check };
    if (column.stringCount > 0) spreadSide(column, 'strings', datesOf(column, check), target);
    if (column.numberCount > 0) spreadSide(column, 'numbers', column.allFloats(), target);
  }
  const found = new Float64Array(docs.length);
  for (let at = 0; at < docs.length; at++) found[at] = byDoc[docs[at]!]!;
  return found;
}

interface Target {
  readonly byDoc: Float64Array;
  readonly deletedBits: Uint32Array | null;
  /** Called now and then; it throws when the search has to end. */
  readonly check: () => void;
}

function spreadSide(
  column: ColumnReader,
  side: Side,
  values: Float64Array,
  { byDoc, deletedBits, check }: Target,
): void {
  const { memory } = column.kernel;
  const groups = column.loadGroups(side);
  const starts = memory.u32s(groups.offsets, 0, values.length + 1);
  const entries = memory.u32s(groups.docs, 0, starts[values.length]!);
  for (let group = 0; group < values.length; group++) {
    if (group % STEP === 0) check();
    const value = values[group]!;
    if (Number.isNaN(value)) continue;
    for (let at = starts[group]!; at < starts[group + 1]!; at++) {
      const doc = entries[at]!;
      if (deletedBits !== null && (deletedBits[doc >>> 5]! >>> (doc & 31)) & 1) continue;
      const before = byDoc[doc]!;
      // numbers ascend, and replace dates
      if (side === 'numbers' || Number.isNaN(before) || before < value) byDoc[doc] = value;
    }
  }
}

/** The texts of a column as dates. */
function datesOf(column: ColumnReader, check: () => void): Float64Array {
  const { textOffsets, text } = column.allTexts();
  const dates = new Float64Array(column.stringCount);
  for (let group = 0; group < dates.length; group++) {
    if (group % STEP === 0) check();
    dates[group] = secondsOfDate(text.subarray(textOffsets[group], textOffsets[group + 1]));
  }
  return dates;
}

/**
 * Seconds since 1970 of a normalised text that is a date, `2026-11-25`, or a date and a time of RFC 3339, whose zone is UTC when it
 * has none; NaN for another text.
 */
function secondsOfDate(text: Uint8Array): number {
  const first = text[0] ?? 0;
  if (first < ZERO || first > NINE || text.length > LONGEST_DATE) return Number.NaN;
  const date = latin1Text(text);
  if (!DATE.test(date) || !isCalendarDay(date)) return Number.NaN;
  const isZoned = date.length <= 10 || /(?:z|[+-]\d{2}:\d{2})$/.test(date);
  return Date.parse(`${date.replace(' ', 't').toUpperCase()}${isZoned ? '' : 'Z'}`) / 1_000;
}
