import { apiError, fromMembers, memberEntries } from '@fossick/base';
import type { JsonObject } from '../json/json-object.js';
import { LosslessFloat } from '../json/lossless-number.js';

import { cutToBytes, Rendering } from './liquid-text.js';

/** The default template: a document's searchable fields, one per line. */
export const DEFAULT_DOCUMENT_TEMPLATE =
  '{% for field in fields %}{% if field.is_searchable and field.value != nil %}{{ field.name }}: {{ field.value }}\n' +
  '{% endif %}{% endfor %}';
export const DEFAULT_TEMPLATE_MAX_BYTES = 400;

interface TemplateField {
  readonly name: string;
  readonly value: unknown;
  readonly is_searchable: boolean;
}
/** The variables of a template: of a document, or of a search. */
export type TemplateVariables = DocumentVariables | { readonly q?: unknown; readonly media?: unknown };
export interface DocumentVariables {
  readonly doc: JsonObject;
  readonly fields: readonly TemplateField[];
}

/**
 * The variables of a document. `isSearchable` is called with the dotted name of each leaf; outside of an index every
 * field counts as searchable. O(leaves)
 */
export function documentVariables(
  document: JsonObject,
  isSearchable: (name: string) => boolean = () => true,
): DocumentVariables {
  const { _vectors: _hidden, ...stored } = document;
  const doc = withPlainNumbers(stored) as JsonObject;
  const fields: TemplateField[] = [];
  const walk = (name: string, value: unknown): void => {
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      for (const [key, child] of memberEntries(value as JsonObject)) walk(`${name}.${key}`, child);
      return;
    }
    fields.push({ name, value, is_searchable: isSearchable(name) });
  };
  for (const [name, value] of memberEntries(doc)) walk(name, value);
  return { doc, fields };
}

/** Templates compare and calculate, so floats are plain numbers, whatever their text in the document. */
function withPlainNumbers(value: unknown): unknown {
  if (value instanceof LosslessFloat) return value.valueOf();
  if (Array.isArray(value)) return value.map(withPlainNumbers);
  if (typeof value !== 'object' || value === null) return value;
  return fromMembers(memberEntries(value as JsonObject).map(([name, member]) => [name, withPlainNumbers(member)]));
}

/** The rendered template, cut at `maxBytes` bytes. Throws as Rendering does. */
export function renderDocumentText(template: string, variables: TemplateVariables, maxBytes: number): string {
  if (!('doc' in variables)) throw apiError('template_rendering_error', 'searchTemplate');
  return cutToBytes(new Rendering().text(template, variables), maxBytes);
}

/** A fragment: JSON of any shape whose strings are templates, all within the limits of one rendering. */
export function renderFragment(value: unknown, variables: TemplateVariables, rendering = new Rendering()): unknown {
  const rendered = (part: unknown): unknown => {
    if (typeof part === 'string') return rendering.text(part, variables);
    if (Array.isArray(part)) return part.map(rendered);
    if (typeof part !== 'object' || part === null) return part;
    return Object.fromEntries(Object.entries(part).map(([name, item]) => [name, rendered(item)]));
  };
  return rendered(value);
}
