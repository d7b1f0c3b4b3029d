/** The least of the distances added, at most `limit`: a binary heap, the greatest first. */
export class LeastDistances {
  private readonly limit: number;
  private readonly heap: number[] = [];

  constructor(limit: number) {
    this.limit = limit;
  }

  /** No further distance above this one is among the least; Infinity as long as each is. */
  get bound(): number {
    return this.heap.length < this.limit ? Number.POSITIVE_INFINITY : this.heap[0]!;
  }

  /** O(log limit) */
  add(given: number): void {
    const distance = Number.isNaN(given) ? Number.POSITIVE_INFINITY : given;
    if (this.heap.length < this.limit) this.push(distance);
    else if (distance < this.heap[0]!) this.replaceFirst(distance);
  }

  private push(distance: number): void {
    const { heap } = this;
    let at = heap.length;
    heap.push(distance);
    while (at > 0) {
      const above = (at - 1) >> 1;
      if (heap[above]! >= distance) break;
      heap[at] = heap[above]!;
      at = above;
    }
    heap[at] = distance;
  }

  private replaceFirst(distance: number): void {
    const { heap } = this;
    let at = 0;
    for (let below = 1; below < heap.length; below = 2 * at + 1) {
      if (below + 1 < heap.length && heap[below + 1]! > heap[below]!) below += 1;
      if (heap[below]! <= distance) break;
      heap[at] = heap[below]!;
      at = below;
    }
    heap[at] = distance;
  }
}
