import { SpelledFloat } from '../documents/json-number.js';

/** A JSON object. */
export type JsonObject = Record<string, unknown>;

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof SpelledFloat);
}

/**
 * The document with only what dotted selectors name (spec 13 section 1.1), as hits show it: inside a field that is named
 * in part, objects lose their other keys, and anything else stays where it is, empty objects too. A selected parent
 * brings its children. O(size of the object * selectors).
 */
export function pruneFields(object: JsonObject, selectors: Iterable<string>): JsonObject {
  const all = selectors instanceof Set ? (selectors as ReadonlySet<string>) : new Set(selectors);
  const pruned: JsonObject = {};
  for (const key of Object.keys(object)) {
    if (all.has(key)) {
      setOwn(pruned, key, object[key]);
      continue;
    }
    const inner = selectorsBelow(all, key);
    if (inner.size > 0) setOwn(pruned, key, pruneValue(object[key], inner));
  }
  return pruned;
}

function pruneValue(value: unknown, selectors: ReadonlySet<string>): unknown {
  if (Array.isArray(value)) return value.map((item) => pruneValue(item, selectors));
  return isJsonObject(value) ? pruneFields(value, selectors) : value;
}

function selectorsBelow(selectors: ReadonlySet<string>, key: string): Set<string> {
  const prefix = `${key}.`;
  const inner = new Set<string>();
  for (const selector of selectors) if (selector.startsWith(prefix)) inner.add(selector.slice(prefix.length));
  return inner;
}

/**
 * The part of an object that dotted selectors name, as `_formatted` shows it: inside arrays objects are filtered one by
 * one, while scalars and objects left empty go; lists of a list stay. O(size of the object * selectors).
 */
export function selectFields(object: JsonObject, selectors: Iterable<string>): JsonObject {
  const all = selectors instanceof Set ? (selectors as ReadonlySet<string>) : new Set(selectors);
  const selected: JsonObject = {};
  for (const key of Object.keys(object)) {
    if (all.has(key)) {
      setOwn(selected, key, object[key]);
      continue;
    }
    const inner = selectorsBelow(all, key);
    if (inner.size === 0) continue;
    const value = object[key];
    if (Array.isArray(value)) setOwn(selected, key, selectInArray(value, inner));
    else if (isJsonObject(value)) setOwn(selected, key, selectFields(value, inner));
  }
  return selected;
}

/** Sets an own property, whatever its name: assigning `__proto__` would not. */
export function setOwn(target: JsonObject, key: string, value: unknown): void {
  if (key === '__proto__')
    Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
  else target[key] = value;
}

function selectInArray(values: readonly unknown[], selectors: ReadonlySet<string>): unknown[] {
  const kept: unknown[] = [];
  for (const value of values) {
    if (Array.isArray(value)) {
      kept.push(selectInArray(value, selectors));
    } else if (isJsonObject(value)) {
      const inner = selectFields(value, selectors);
      if (Object.keys(inner).length > 0) kept.push(inner);
    }
  }
  return kept;
}
