import type { DocId } from '@fossick/base';

/** With more than this share of all docids a list by docid takes less memory than a map. */
const DENSE_SHARE = 16;

/** A number for each of some documents: a map while they are few, then a list of 4 bytes for each docid of the index. */
export class DocNumbers {
  private readonly bitCount: number;
  private sparse: Map<DocId, number> | null = new Map();
  /** Each number plus 1; 0: none. */
  private dense: Uint32Array | undefined;

  /** @param bitCount above every docid */
  constructor(bitCount: number) {
    this.bitCount = bitCount;
  }

  /** -1 when the document has none. */
  get(doc: DocId): number {
    return this.sparse === null ? this.dense![doc]! - 1 : (this.sparse.get(doc) ?? -1);
  }

  /** @param value at least 0 */
  set(doc: DocId, value: number): void {
    if (this.sparse === null) {
      this.dense![doc] = value + 1;
      return;
    }
    this.sparse.set(doc, value);
    if (this.sparse.size * DENSE_SHARE <= this.bitCount) return;
    this.dense = new Uint32Array(this.bitCount);
    for (const [each, its] of this.sparse) this.dense[each] = its + 1;
    this.sparse = null;
  }
}
