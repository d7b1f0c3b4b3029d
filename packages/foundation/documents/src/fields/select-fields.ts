import { inOrder, memberNames, setOwn, stepInBudget } from '@fossick/base';
import type { JsonObject } from '../json/json-object.js';
import { isJsonObject } from '../json/lossless-number.js';

/** Dotted selectors, indexed for look-up by path. */
export class Selectors {
  private readonly whole: ReadonlySet<string>;
  /** The selectors with dots, sorted: those below a path are consecutive. */
  private readonly dotted: readonly string[];

  /** O(n log n) comparisons. Prefixes of selectors are not stored: a name of a million dots has a million of them. */
  constructor(selectors: Iterable<string>) {
    this.whole = new Set(selectors);
    this.dotted = [...this.whole].filter((selector) => selector.includes('.')).sort(byUnits);
  }

  /** Whether a selector equals the path. */
  has(path: string): boolean {
    return this.whole.has(path);
  }

  /** Whether a selector is below the path. O(log selectors) comparisons, O(path) each */
  hasBelow(path: string): boolean {
    const start = `${path}.`;
    let [from, to] = [0, this.dotted.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      if (this.dotted[middle]! < start) from = middle + 1;
      else to = middle;
    }
    return from < this.dotted.length && this.dotted[from]!.startsWith(start);
  }
}

const byUnits = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

const readySelectors = (selectors: Iterable<string> | Selectors): Selectors =>
  selectors instanceof Selectors ? selectors : new Selectors(selectors);

/**
 * The part of a document that dotted selectors name, as hits show it: inside a partly selected field, objects lose
 * their other keys, and everything else stays, empty objects too. A selected parent selects its children. O(size of the
 * object), once the selectors are indexed.
 */
export function pruneFields(object: JsonObject, selectors: Iterable<string> | Selectors): JsonObject {
  return pruned(object, readySelectors(selectors), '');
}

function pruned(object: JsonObject, selectors: Selectors, prefix: string): JsonObject {
  stepInBudget();
  const kept: JsonObject = {};
  const names = memberNames(object);
  for (const key of names) {
    const path = `${prefix}${key}`;
    if (selectors.has(path)) setOwn(kept, key, object[key]);
    else if (selectors.hasBelow(path)) setOwn(kept, key, prunedValue(object[key], selectors, `${path}.`));
  }
  return inOrder(kept, names);
}

function prunedValue(value: unknown, selectors: Selectors, prefix: string): unknown {
  if (Array.isArray(value)) return value.map((item) => prunedValue(item, selectors, prefix));
  return isJsonObject(value) ? pruned(value, selectors, prefix) : value;
}

/**
 * The part of an object that dotted selectors name, as `_formatted` shows it: inside arrays objects are filtered one by
 * one, and scalars and empty objects are dropped; nested lists stay. O(size of the object), once the selectors are
 * indexed.
 */
export function selectFields(object: JsonObject, selectors: Iterable<string> | Selectors): JsonObject {
  return selectedOf(object, readySelectors(selectors), '');
}

function selectedOf(object: JsonObject, selectors: Selectors, prefix: string): JsonObject {
  stepInBudget();
  const selected: JsonObject = {};
  const names = memberNames(object);
  for (const key of names) {
    const path = `${prefix}${key}`;
    if (selectors.has(path)) {
      setOwn(selected, key, object[key]);
      continue;
    }
    if (!selectors.hasBelow(path)) continue;
    const value = object[key];
    if (Array.isArray(value)) setOwn(selected, key, selectInArray(value, selectors, `${path}.`));
    else if (isJsonObject(value)) setOwn(selected, key, selectedOf(value, selectors, `${path}.`));
  }
  return inOrder(selected, names);
}

function selectInArray(values: readonly unknown[], selectors: Selectors, prefix: string): unknown[] {
  const kept: unknown[] = [];
  for (const value of values) {
    if (Array.isArray(value)) {
      kept.push(selectInArray(value, selectors, prefix));
    } else if (isJsonObject(value)) {
      const inner = selectedOf(value, selectors, prefix);
      if (Object.keys(inner).length > 0) kept.push(inner);
    }
  }
  return kept;
}
