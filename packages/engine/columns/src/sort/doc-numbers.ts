import type { DocId } from '@fossick/base';

/** With more than this share of all docids a list by docid takes less memory than a map. */
const DENSE_SHARE = 16;

/** A number for each of some documents: a map while they are few, then a list of 4 bytes for each docid of the index. */
export class DocNumbers {
  private readonly bitCount: number;
  private few: Map<DocId, number> | null = new Map();
  /** Each number plus 1; 0: none. */
  private many: Uint32Array | undefined;

  /** @param bitCount above every docid */
  constructor(bitCount: number) {
    this.bitCount = bitCount;
  }

  /** -1 when the document has none. */
  get(doc: DocId): number {
    return this.few === null ? this.many![doc]! - 1 : (this.few.get(doc) ?? -1);
  }

  /** @param value at least 0 */
  set(doc: DocId, value: number): void {
    if (this.few === null) {
      this.many![doc] = value + 1;
      return;
    }
    this.few.set(doc, value);
    if (this.few.size * DENSE_SHARE <= this.bitCount) return;
    this.many = new Uint32Array(this.bitCount);
    for (const [each, its] of this.few) this.many[each] = its + 1;
    this.few = null;
  }
}
