import { isJsonObject } from '../json/lossless-number.js';

/**
 * Visits every value at a dotted path. Keys may contain dots themselves; arrays on the path are transparent, an array at its end is a
 * value.
 */
export function visitValuesAt(value: unknown, path: string, visit: (value: unknown) => void): void {
  if (Array.isArray(value)) {
    for (const item of value) visitValuesAt(item, path, visit);
    return;
  }
  if (!isJsonObject(value)) return;
  for (const [key, child] of Object.entries(value)) {
    if (key === path) visit(child);
    else if (path.startsWith(`${key}.`)) visitValuesAt(child, path.slice(key.length + 1), visit);
  }
}
