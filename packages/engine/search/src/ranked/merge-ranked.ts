import { compareRanked, type Ranked } from './score-items.js';

/** Merges several ranked lists, best first, ties by query position. O(hits yielded * lists). */
export function* mergeRanked<T extends Ranked>(lists: readonly (readonly T[])[]): Generator<T, void> {
  const at = lists.map(() => 0);
  for (;;) {
    let best = -1;
    let bestHead: T | undefined;
    lists.forEach((list, index) => {
      const head = list[at[index]!];
      if (head === undefined || (bestHead !== undefined && !goesBefore(head, bestHead))) return;
      best = index;
      bestHead = head;
    });
    if (bestHead === undefined) return;
    at[best]! += 1;
    yield bestHead;
  }
}

function goesBefore(a: Ranked, b: Ranked): boolean {
  const order = compareRanked(a, b);
  return order > 0 || (order === 0 && a.queryPosition < b.queryPosition);
}
