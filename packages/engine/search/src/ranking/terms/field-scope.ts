/** The fields that a search uses, and their weights. */
import { apiError } from '@fossick/base';
import { matchesPattern } from '@fossick/filter';
import type { IndexView } from '@fossick/index';
import type { Block } from '@fossick/kernel';
import { type AttributeWeights, firstCovering } from '@fossick/settings';

const RESERVED_FIELDS = ['_vectors', '_geo', '_geojson'];

/** The searched fields and their weights. */
export interface FieldWeights {
  /** By field id; -1 where the field is not searched. */
  readonly weights: Int32Array;
  /** null when searchableAttributes is not user-defined: all weigh 0. */
  readonly maxWeight: number | null;
}

/** The weight of each field id: the index of the first searchable attribute that is the field or a parent of it. */
export function fieldWeights(view: IndexView): FieldWeights {
  let found = weightsByView.get(view);
  if (!found) {
    found = findWeights(view);
    weightsByView.set(view, found);
  }
  return found;
}

/** A view's field names and settings never change. */
const weightsByView = new WeakMap<IndexView, FieldWeights>();

function findWeights(view: IndexView): FieldWeights {
  const { searchableAttributes } = view.settings;
  const isEverything = searchableAttributes.includes('*');
  const weights = Int32Array.from(view.fieldNames, (name) => {
    if (firstCovering(RESERVED_FIELDS, name) >= 0) return -1;
    return isEverything ? 0 : firstCovering(searchableAttributes, name);
  });
  return { weights, maxWeight: isEverything ? null : Math.max(0, searchableAttributes.length - 1) };
}

/** The weight of an attribute that a request does not name. */
const PLAIN_WEIGHT = 1;

/**
 * The weights of a request in place of the order of the setting: attributes of equal weight are equal, those of a greater one go first.
 * An attribute has the weight of the nearest named attribute that is it or a parent of it. O(fields * names)
 * @throws ApiError invalid_search_attribute_weights
 */
export function requestedWeights(
  view: IndexView,
  requested: AttributeWeights,
  { weights }: FieldWeights,
): FieldWeights {
  const names = Object.keys(requested).sort((a, b) => b.length - a.length);
  const { searchableAttributes } = view.settings;
  const isEverything = searchableAttributes.includes('*');
  for (const name of names) {
    const isSearchable = isEverything
      ? firstCovering(RESERVED_FIELDS, name) < 0
      : firstCovering(searchableAttributes, name) >= 0 || searchableAttributes.some((of) => of.startsWith(`${name}.`));
    if (isSearchable) continue;
    const searchable = view.fieldNames.filter((_, id) => weights[id]! >= 0);
    throw apiError('invalid_search_attribute_weights', name, view.uid, ...shownAttributes(view, searchable));
  }
  const levels = [...new Set([PLAIN_WEIGHT, ...Object.values(requested)])].sort((a, b) => b - a);
  return {
    weights: weights.map((weight, id) => {
      if (weight < 0) return weight;
      const named = firstCovering(names, view.fieldNames[id]!);
      return levels.indexOf(named < 0 ? PLAIN_WEIGHT : requested[names[named]!]!);
    }),
    maxWeight: levels.length - 1,
  };
}

/** The fields that a search is restricted to. */
export interface RestrictedFields {
  /** One byte for each field id. */
  readonly ptr: Block;
  /**
   * Those of them where typos are allowed: `disableOnAttributes` applies here to the exact names only, not to their
   * children.
   */
  readonly fuzzyPtr: Block;
  readonly count: number;
  readonly names: readonly string[];
  /** The weights of these fields only. */
  readonly fields: FieldWeights;
}

/**
 * The fields of attributesToSearchOn as one byte for each field id in scratch memory, with their names; null when there is no
 * restriction.
 * @throws ApiError invalid_search_attributes_to_search_on
 */
export function restrictFields(
  view: IndexView,
  names: readonly string[] | null,
  { weights, maxWeight }: FieldWeights,
): RestrictedFields | null {
  if (!names) return null;
  const { searchableAttributes } = view.settings;
  const isEverything = searchableAttributes.includes('*');
  const searchable = view.fieldNames.filter((_, id) => weights[id]! >= 0);
  const kept = new Set<string>();
  let hasStar = false;
  for (const name of names) {
    if (name === '*') {
      hasStar = true;
      continue;
    }
    const matches = searchable.filter((field) => (name.includes('*') ? matchesPattern(name, field) : field === name));
    for (const field of matches) kept.add(field);
    if (matches.length > 0 || isEverything || searchableAttributes.includes(name)) continue;
    throw apiError('invalid_search_attributes_to_search_on', name, view.uid, ...shownAttributes(view, searchable));
  }
  if (hasStar) return null;
  const strict = new Set(view.settings.typoTolerance.disableOnAttributes);
  const bytes = Uint8Array.from(view.fieldNames, (name) => (kept.has(name) ? 1 : 0));
  const fuzzyBytes = bytes.map((byte, id) => (strict.has(view.fieldNames[id]!) ? 0 : byte));
  const ptr = view.kernel.memory.scratchBytes(bytes);
  const fuzzyPtr = view.kernel.memory.scratchBytes(fuzzyBytes);
  const fields = { weights: weights.map((weight, id) => (bytes[id] === 1 ? weight : -1)), maxWeight };
  return { ptr, fuzzyPtr, count: bytes.length, names: [...kept], fields };
}

/** The searchable attributes that may be displayed, and whether there are others, for an error message. O(attributes log attributes) */
function shownAttributes(view: IndexView, searchable: readonly string[]): [names: string[], isPartial: boolean] {
  const displayed = new Set(view.settings.displayedAttributes);
  const shown = searchable.filter((field) => displayed.has('*') || displayed.has(field)).sort();
  return [shown, shown.length < searchable.length];
}
