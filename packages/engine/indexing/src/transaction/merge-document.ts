import type { JsonObject } from '@fossick/documents';
import { mergeVectors } from '@fossick/segments';

/** A stored document with the fields of an update replaced or added. */
export function mergeDocument(before: JsonObject, update: JsonObject): JsonObject {
  const whole = { ...before, ...update };
  const vectors = mergeVectors(before['_vectors'], update['_vectors']);
  if (vectors !== undefined) whole['_vectors'] = vectors;
  return whole;
}
