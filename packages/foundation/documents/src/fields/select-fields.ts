import { inOrder, memberNames, partitionPoint, setOwn, stepInBudget } from '@fossick/base';
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
    const next = this.dotted[partitionPoint(0, this.dotted.length, (at) => this.dotted[at]! < start)];
    return next?.startsWith(start) === true;
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
  return partOf(object, readySelectors(selectors), '', prunedValue);
}

/** The part of a value below a selector; undefined: none. */
type PartOfValue = (value: unknown, selectors: Selectors, prefix: string) => unknown;

function partOf(object: JsonObject, selectors: Selectors, prefix: string, partOfValue: PartOfValue): JsonObject {
  stepInBudget();
  const part: JsonObject = {};
  const names = memberNames(object);
  for (const key of names) {
    const path = `${prefix}${key}`;
    const isWhole = selectors.has(path);
    if (!isWhole && !selectors.hasBelow(path)) continue;
    const value = isWhole ? object[key] : partOfValue(object[key], selectors, `${path}.`);
    if (value !== undefined) setOwn(part, key, value);
  }
  return inOrder(part, names);
}

function prunedValue(value: unknown, selectors: Selectors, prefix: string): unknown {
  if (Array.isArray(value)) return value.map((item) => prunedValue(item, selectors, prefix));
  return isJsonObject(value) ? partOf(value, selectors, prefix, prunedValue) : value;
}

/**
 * The part of an object that dotted selectors name, as `_formatted` shows it: inside arrays objects are filtered one by
 * one, and scalars and empty objects are dropped; nested lists stay. O(size of the object), once the selectors are
 * indexed.
 */
export function selectFields(object: JsonObject, selectors: Iterable<string> | Selectors): JsonObject {
  return partOf(object, readySelectors(selectors), '', selectedValue);
}

function selectedValue(value: unknown, selectors: Selectors, prefix: string): unknown {
  if (Array.isArray(value)) return selectInArray(value, selectors, prefix);
  return isJsonObject(value) ? partOf(value, selectors, prefix, selectedValue) : undefined;
}

function selectInArray(values: readonly unknown[], selectors: Selectors, prefix: string): unknown[] {
  const kept: unknown[] = [];
  for (const value of values) {
    if (Array.isArray(value)) {
      kept.push(selectInArray(value, selectors, prefix));
    } else if (isJsonObject(value)) {
      const inner = partOf(value, selectors, prefix, selectedValue);
      if (Object.keys(inner).length > 0) kept.push(inner);
    }
  }
  return kept;
}
