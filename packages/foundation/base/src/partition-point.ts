/**
 * The first number from `low` on of which `isBefore` does not hold; `high` when it holds of all below. It must hold of no number
 * after one of which it does not. O(log(high - low)) calls
 */
export function partitionPoint(low: number, high: number, isBefore: (at: number) => boolean): number {
  let [from, to] = [low, high];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (isBefore(middle)) from = middle + 1;
    else to = middle;
  }
  return from;
}
