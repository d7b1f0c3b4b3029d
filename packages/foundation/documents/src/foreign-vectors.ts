import { own } from '@fossick/base';
import { VECTORS_FIELD } from './fields/field-order.js';
import type { JsonObject } from './json/json-object.js';
import { isJsonObject } from './json/lossless-number.js';

/**
 * Vectors of a stored document whose names are no embedder's, as they were given, by name; `null` is an empty list.
 * Undefined when there are none.
 */
export function foreignVectors(
  document: JsonObject,
  { embedders }: { readonly embedders: Readonly<Record<string, unknown>> },
): JsonObject | undefined {
  const vectors = document[VECTORS_FIELD];
  if (!isJsonObject(vectors)) return undefined;
  const names = Object.keys(vectors).filter((name) => !Object.hasOwn(embedders, name));
  if (names.length === 0) return undefined;
  return Object.fromEntries(names.sort().map((name) => [name, own(vectors, name) ?? []]));
}
