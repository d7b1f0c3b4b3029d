import { isJsonObject } from '../wire/fields.js';

/**
 * The part of a document that `fields` name (spec 01 section 2.3): a dotted name selects a leaf inside nested objects, arrays transparent, and the literal
 * top-level key spelled with the dot; a parent selects its whole sub-tree.
 */
export function selectFields(document: Record<string, unknown>, fields: readonly string[]): Record<string, unknown> {
  const result: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(document)) {
    if (fields.includes(name)) {
      result[name] = value;
      continue;
    }
    const inner = fields.filter((field) => field.startsWith(`${name}.`)).map((field) => field.slice(name.length + 1));
    if (inner.length === 0) continue;
    const selected = selectInside(value, inner);
    if (selected !== undefined) result[name] = selected;
  }
  return result;
}

/** The selected part of a value, or undefined when nothing of it is. */
function selectInside(value: unknown, fields: readonly string[]): unknown {
  if (Array.isArray(value)) {
    const items = value.map((item) => selectInside(item, fields)).filter((item) => item !== undefined);
    return items.length === 0 ? undefined : items;
  }
  if (!isJsonObject(value)) return undefined;
  const selected = selectFields(value, fields);
  return Object.keys(selected).length === 0 ? undefined : selected;
}
