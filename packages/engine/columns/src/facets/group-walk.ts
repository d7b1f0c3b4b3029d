/** Finds the values of a field in the order of the best document of each. */

import { type DocId, isPast, stepInBudget } from '@fossick/base';
import type { Bitmap } from '@fossick/kernel';
import type { ColumnView } from '../port.js';
import { type FieldValue, type ValueDocs, valueId } from './value-docs.js';

/** Documents between two looks at the clock. */
const STEP = 1_024;

/**
 * A `distinct` that leaves the first document of each value: a document with several values is left when one of them is
 * new. Documents without a value are never left.
 */
export class GroupWalk {
  /** The values found so far, in the order of their first documents. */
  readonly found: FieldValue[] = [];
  private readonly view: ColumnView;
  private readonly values: ValueDocs;
  private readonly deadlineMs: number;
  private readonly seen = new Set<string>();
  /** Documents with several values: they stay when one value is found. */
  private readonly multiple: Bitmap;

  /** O(entries of the field) @param deadlineMs on the clock of performance.now() */
  constructor(view: ColumnView, values: ValueDocs, deadlineMs: number) {
    this.view = view;
    this.values = values;
    this.deadlineMs = deadlineMs;
    this.multiple = view.kernel.bitmaps.create(view.bitCount);
    values.addMultiple(this.multiple);
  }

  /** Sets the bits of the documents whose only value is one of this document's. */
  excludeFor(docId: DocId, excluded: Bitmap): void {
    for (const value of this.values.valuesOf(docId)) this.values.addDocs(value, excluded);
    this.view.kernel.bitmaps.andNot(excluded, this.multiple);
  }

  /** As of `DistinctField`; `excluded` gets documents whose only value was found. */
  markFirsts(docs: Bitmap, firsts: Bitmap, excluded: Bitmap, limit = Number.POSITIVE_INFINITY): number {
    const { bitmaps } = this.view.kernel;
    let count = 0;
    let steps = 0;
    for (let doc = bitmaps.next(docs, 0); doc !== -1 && count < limit; doc = bitmaps.next(docs, doc + 1)) {
      stepInBudget();
      if (++steps % STEP === 0 && isPast(this.deadlineMs)) break;
      if (bitmaps.has(excluded, doc) || !this.takeNew(doc, excluded)) continue;
      bitmaps.set(firsts, doc);
      count += 1;
    }
    bitmaps.andNot(excluded, firsts);
    return count;
  }

  /** Whether the document has a new value. */
  takeNew(doc: DocId, excluded: Bitmap | null = null): boolean {
    let isNew = false;
    for (const value of this.values.valuesOf(doc)) {
      const id = valueId(value);
      if (this.seen.has(id)) continue;
      this.seen.add(id);
      this.found.push(value);
      isNew = true;
      if (excluded !== null) this.values.addDocs(value, excluded);
    }
    if (isNew && excluded !== null) this.view.kernel.bitmaps.andNot(excluded, this.multiple);
    return isNew;
  }
}
