import { isIndexName } from '@fossick/base';

/** By list of names: how many were looked at, and the place of the first that was found. */
const looks = new WeakMap<readonly string[], { count: number; first: number }>();

/**
 * Whether a name of the list or a step of one looks like an index of a list: objects do not keep the order of such members. The list may
 * grow; `forgetLook` must be called where names are removed. O(new names)
 */
export function haveIndexSteps(names: readonly string[]): boolean {
  let look = looks.get(names);
  if (look === undefined) {
    look = { count: 0, first: Number.POSITIVE_INFINITY };
    looks.set(names, look);
  }
  for (; look.count < names.length && look.first > look.count; look.count++)
    if (hasIndexStep(names[look.count]!)) look.first = look.count;
  return look.first < names.length;
}

/** To be called when names of the list were removed. */
export function forgetLook(names: readonly string[]): void {
  looks.delete(names);
}

const hasIndexStep = (name: string): boolean => /\d/.test(name) && name.split('.').some(isIndexName);
