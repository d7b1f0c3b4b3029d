import type { DocId } from '@fossick/base';
import { DistancePairs } from './distance-pairs.js';

/** Documents whose exact distance is known: 8 bytes for each, and a bit for each docid up to the last. */
export class MeasuredDocuments {
  private readonly pairs = new DistancePairs(0);
  private bits = new Uint32Array(0);

  get count(): number {
    return this.pairs.count;
  }

  has(docId: DocId): boolean {
    return ((this.bits[docId >>> 5] ?? 0) & (1 << (docId & 31))) !== 0;
  }

  /** The document must be new. */
  add(docId: DocId, distance: number): void {
    const word = docId >>> 5;
    if (word >= this.bits.length) {
      const { bits } = this;
      this.bits = new Uint32Array(Math.max(word + 1, 2 * bits.length));
      this.bits.set(bits);
    }
    this.bits[word]! |= 1 << (docId & 31);
    this.pairs.add(distance, docId);
  }

  /** Documents are in the order of their addition. */
  docIdAt(at: number): DocId {
    return this.pairs.itemAt(at) as DocId;
  }

  distanceAt(at: number): number {
    return this.pairs.distanceAt(at);
  }
}
