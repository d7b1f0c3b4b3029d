import { pruneFields } from '@fossick/documents';
import type { IndexSettings } from '@fossick/settings';
import { shownVectors } from '@fossick/vectors';

/** `_vectors` is omitted unless requested, and then always present; the settings give its form. */
export function shownDocument(
  document: Readonly<Record<string, unknown>>,
  fields: readonly string[] | null,
  vectorSettings: IndexSettings | null,
): Record<string, unknown> {
  const { _vectors: _hidden, ...rest } = document;
  const shown = fields === null || fields.includes('*') ? rest : pruneFields(rest, fields);
  return vectorSettings === null ? shown : { ...shown, _vectors: shownVectors(document, vectorSettings) };
}
