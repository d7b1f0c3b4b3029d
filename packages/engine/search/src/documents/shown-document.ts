import { pruneFields } from '@fossick/documents';
import type { IndexSettings } from '@fossick/settings';
import { shownVectors } from '@fossick/vectors';

type Document = Readonly<Record<string, unknown>>;

/** `_vectors` is omitted unless requested, and then always present; the settings give its form. */
export function shownDocument(
  document: Document,
  fields: readonly string[] | null,
  vectorSettings: IndexSettings | null,
): Record<string, unknown> {
  const { _vectors: _hidden, ...rest } = document;
  const shown = fields === null || fields.includes('*') ? rest : pruneFields(rest, fields);
  return vectorSettings === null ? shown : { ...shown, _vectors: shownVectors(document, vectorSettings) };
}

/** The whole document; `_vectors`, where it has any, in the form that the settings give. */
export function documentWithVectors(document: Document, settings: IndexSettings): Document {
  return '_vectors' in document ? { ...document, _vectors: shownVectors(document, settings) } : document;
}
