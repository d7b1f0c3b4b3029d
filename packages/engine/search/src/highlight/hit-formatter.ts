import {
  foreignVectors,
  inFieldOrder,
  type JsonObject,
  pruneFields,
  Selectors,
  VECTORS_FIELD,
} from '@fossick/documents';
import { planFields } from './field-plan.js';
import { geoDistanceOf, geoPointOfSort } from './geo-distance.js';
import { type FormattedTexts, type HitFormatterInput, LeafFormatter } from './leaf-formatter.js';

/** The parts of a hit. `fields` may be the document itself and must not be modified. */
export interface FormattedHit extends FormattedTexts {
  readonly fields: Readonly<JsonObject>;
  readonly geoDistance: number | undefined;
  readonly vectors: Readonly<JsonObject> | undefined;
}

/** Makes the parts of a hit; `vectors` is the value of `_vectors`: every embedder with its embeddings. */
export interface FormatHit {
  (document: JsonObject, vectors?: JsonObject): FormattedHit;
  /** True: hits are the unchanged documents, for every request with such parameters. */
  readonly isPlain: boolean;
}

const NO_TEXTS: FormattedTexts = { formatted: undefined, matchesPosition: undefined };

/**
 * Does the work of a request once, and returns a function for the work of one document. O(fields + terms), then
 * O(document) each.
 */
export function createHitFormatter(input: HitFormatterInput): FormatHit {
  const { params, fieldNames } = input;
  const plan = planFields(fieldNames, input.settings, params);
  const order = new Map(fieldNames.map((name, id) => [name, id]));
  const point = params.sort === null ? undefined : geoPointOfSort(params.sort);
  /**
   * Vectors that no embedder owns are formatted like any other field, though hits themselves hide them (recorded
   * behaviour).
   */
  const withForeignVectors = (document: JsonObject, stored: JsonObject): JsonObject => {
    const vectors = foreignVectors(document, input.settings);
    return vectors === undefined ? stored : inFieldOrder({ ...document, [VECTORS_FIELD]: vectors }, order, true);
  };
  const retrieved = plan.retrieved === undefined ? undefined : new Selectors(plan.retrieved);
  const leaves = plan.formats.size > 0 || params.showMatchesPosition ? new LeafFormatter(input, plan) : undefined;
  const format = (document: JsonObject, vectors?: JsonObject): FormattedHit => {
    const stored = inFieldOrder(document, order);
    const fields = retrieved === undefined ? stored : pruneFields(stored, retrieved);
    const { formatted, matchesPosition } = leaves?.format(withForeignVectors(document, stored)) ?? NO_TEXTS;
    return {
      fields,
      geoDistance: point === undefined ? undefined : geoDistanceOf(fields, point),
      vectors: plan.showsVectors ? (vectors ?? {}) : undefined,
      formatted: formatted !== undefined && Object.keys(formatted).length > 0 ? formatted : undefined,
      matchesPosition,
    };
  };
  const isPlain = plan.retrieved === undefined && leaves === undefined && point === undefined && !plan.showsVectors;
  return Object.assign(format, { isPlain });
}

/** The hit object, with its parts in the order of the API; the caller adds scores. */
export function buildHit(parts: FormattedHit): JsonObject {
  const hit: JsonObject = { ...parts.fields };
  if (parts.geoDistance !== undefined) hit['_geoDistance'] = parts.geoDistance;
  if (parts.vectors !== undefined) hit[VECTORS_FIELD] = parts.vectors;
  if (parts.formatted !== undefined) hit['_formatted'] = parts.formatted;
  if (parts.matchesPosition !== undefined) hit['_matchesPosition'] = parts.matchesPosition;
  return hit;
}
