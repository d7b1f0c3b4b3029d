/** The first place of an ascending list whose value is at least `value`; its length when there is none. O(log length) */
export function lowerBound(ascending: Uint32Array, value: number): number {
  let [low, high] = [0, ascending.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ascending[middle]! < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
