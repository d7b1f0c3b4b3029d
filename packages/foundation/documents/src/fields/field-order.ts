import { inOrder, memberNames, own, setOwn } from '@fossick/base';
import type { JsonObject } from '../json/json-object.js';
import { isJsonObject } from '../json/lossless-number.js';

/** The member of a document that holds its vectors. */
export const VECTORS_FIELD = '_vectors';

/**
 * The document with its keys in field-id order, by default without its vectors; the same object when nothing changes.
 */
export function inFieldOrder(
  document: JsonObject,
  order: ReadonlyMap<string, number>,
  keepsVectors = false,
): JsonObject {
  const keys = memberNames(document);
  const idOf = (key: string): number => order.get(key) ?? order.size;
  let previous = -1;
  let isInOrder = true;
  for (const key of keys) {
    const id = idOf(key);
    if (id < previous || (key === VECTORS_FIELD && !keepsVectors)) isInOrder = false;
    previous = id;
  }
  if (isInOrder) return document;
  const ordered: JsonObject = {};
  const sorted = keys.toSorted((left, right) => idOf(left) - idOf(right));
  for (const key of sorted) {
    if (keepsVectors || key !== VECTORS_FIELD) setOwn(ordered, key, own(document, key));
  }
  return inOrder(ordered, sorted);
}

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
