import { withMembers } from '@fossick/base';
import type { JsonObject } from '@fossick/documents';
import { isNewEntry, keepVectors, mergeVectors, type VectorRules, type VectorsCheck } from '@fossick/vectors';
import type { PutMode } from './prepared-document.js';

/** Decodes the stored version of a document. */
type Stored = () => JsonObject;

/** A document with everything of its stored version that it does not replace. */
export function joinStored(
  document: JsonObject,
  { merge }: PutMode,
  rules: VectorRules,
  stored: Stored | undefined,
): JsonObject {
  if (stored === undefined) return document;
  if (merge) return mergeDocument(stored(), document);
  return rules.size > 0 ? keepVectors(document, rules, stored) : document;
}

/** What is required of the vectors of such a document. */
export function vectorsCheckOf(
  document: JsonObject,
  { isStored = false }: PutMode,
  stored: Stored | undefined,
): VectorsCheck {
  const isGiven = (name: string): boolean => isNewEntry(document['_vectors'], stored?.()['_vectors'], name);
  return { mayLack: isStored || stored !== undefined, isNew: (name) => !isStored && isGiven(name), isGiven };
}

/** A stored document with the fields of an update replaced or added. */
function mergeDocument(before: JsonObject, update: JsonObject): JsonObject {
  const whole = withMembers(before, update);
  const vectors = mergeVectors(before['_vectors'], update['_vectors']);
  if (vectors !== undefined) whole['_vectors'] = vectors;
  return whole;
}
