/** Scores of documents, computed from columns. */
import { type DocIds, unreachable } from '@fossick/base';
import { applied, type ScoreExpression, type ScoreNode } from '@fossick/filter/score';
import { distanceMetres } from '../geo-distance.js';
import type { ColumnView } from '../port.js';
import { numbersByDocument } from './numbers-by-document.js';

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
