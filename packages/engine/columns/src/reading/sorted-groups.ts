import { compareBytes, type DocId, type DocIds } from '@fossick/base';
import { compareExact, type ExactNumber } from '@fossick/documents/stored';
import type { Bitmap } from '@fossick/kernel';
import type { ColumnReader, Side } from './column-reader.js';

/** A run of documents of one column with the same value. */
class Run {
  readonly column: ColumnReader;
  readonly side: Side;
  readonly group: number;
  /** Range of the column's pairs: [from, to). */
  readonly from: number;
  readonly to: number;
  private value: ExactNumber | Uint8Array | undefined;

  constructor(column: ColumnReader, side: Side, group: number, from: number, to: number) {
    this.column = column;
    this.side = side;
    this.group = group;
    this.from = from;
    this.to = to;
  }

  /** The order by value of two runs of one side; values are read once, and only where several columns have runs. */
  compare(other: Run): number {
    if (this.column === other.column) return this.group - other.group;
    return this.side === 'numbers'
      ? compareExact(this.read() as ExactNumber, other.read() as ExactNumber)
      : compareBytes(this.read() as Uint8Array, other.read() as Uint8Array);
  }

  private read(): ExactNumber | Uint8Array {
    this.value ??= this.side === 'numbers' ? this.column.numberAt(this.group) : this.column.textAt(this.group);
    return this.value;
  }
}

/** Documents of a set by their first value in sort order; values are looked up by document and sorted once. */
export class SortedGroups {
  private readonly cursors: RunCursor[];
  private readonly sign: 1 | -1;

  /** O(documents of the set * log of them), once the forward columns are made. */
  constructor(columns: readonly ColumnReader[], universe: Bitmap, isDescending: boolean) {
    this.sign = isDescending ? -1 : 1;
    this.cursors = columns.map((column) => new RunCursor(column, universe, isDescending));
  }

  /** Calls `visit` for the documents of each next value until it returns false. */
  eachValue(visit: (docs: readonly DocIds[], run: Pick<Run, 'column' | 'side' | 'group'>) => boolean): void {
    for (let best = this.best(); best !== undefined; best = this.best()) {
      const { run } = best;
      const same = this.cursors.filter((cursor) => cursor.run !== undefined && compareRuns(cursor.run, run!) === 0);
      const docs = same.map((cursor) => cursor.docs());
      for (const cursor of same) cursor.advance();
      if (!visit(docs, run!)) return;
    }
  }

  /** Sets the bits of documents of the universe with the next value that any of them has; undefined when there is none. */
  take(bucket: Bitmap, universe: Bitmap): ExactNumber | string | undefined {
    let value: ExactNumber | string | undefined;
    this.eachValue((lists, { column, side, group }) => {
      const { kernel } = column;
      let isFound = false;
      for (const docs of lists)
        for (const doc of docs) {
          if (!kernel.bitmaps.has(universe, doc)) continue;
          kernel.bitmaps.set(bucket, doc);
          isFound = true;
        }
      if (!isFound) return true;
      value = column.valueAt(side, group);
      return false;
    });
    return value;
  }

  private best(): RunCursor | undefined {
    let best: RunCursor | undefined;
    for (const cursor of this.cursors) {
      if (cursor.run === undefined) continue;
      if (best === undefined || order(cursor.run, best.run!, this.sign) < 0) best = cursor;
    }
    return best;
  }
}

/** Numbers come first in either direction. */
function order(left: Run, right: Run, sign: 1 | -1): number {
  return left.side === right.side ? compareRuns(left, right) * sign : left.side === 'numbers' ? -1 : 1;
}

function compareRuns(left: Run, right: Run): number {
  if (left.side !== right.side) return left.side === 'numbers' ? -1 : 1;
  return left.compare(right);
}

/** The runs of one column in the order of the sort. */
class RunCursor {
  private readonly column: ColumnReader;
  private readonly isDescending: boolean;
  run: Run | undefined;
  /** Docid and group of each document, by group; little-endian halves of u64. */
  private readonly words: Uint32Array;
  /** End of the pairs of documents whose first value is a number. */
  private readonly numberEnd: number;
  private readonly pairCount: number;

  constructor(column: ColumnReader, universe: Bitmap, isDescending: boolean) {
    this.column = column;
    this.isDescending = isDescending;
    const pairs = column.kernel.columns.firstGroups(column.loadForward(), column.live(universe), isDescending);
    this.words = new Uint32Array(pairs.buffer, 0, pairs.length * 2);
    this.pairCount = pairs.length;
    this.numberEnd = this.firstFrom(column.numberCount);
    this.advance();
  }

  docs(): DocIds {
    const { from, to } = this.run!;
    const docs = new Uint32Array(to - from) as DocIds;
    for (let i = 0; i < docs.length; i++) docs[i] = this.words[(from + i) * 2]! as DocId;
    return docs;
  }

  advance(): void {
    const { run, isDescending } = this;
    const numberEnd = this.numberEnd;
    if (!isDescending) {
      this.run = this.runFrom(run?.to ?? 0);
      return;
    }
    // numbers from their end to the start, then strings likewise
    const isNumber = numberEnd > 0 && (run === undefined || (run.side === 'numbers' && run.from > 0));
    const isFirst = run === undefined || (run.side === 'numbers' && !isNumber);
    const end = isFirst ? (isNumber ? numberEnd : this.pairCount) : run.from;
    this.run = end > (isNumber ? 0 : numberEnd) ? this.runTo(end) : undefined;
  }

  private groupAt(pair: number): number {
    return this.words[pair * 2 + 1]!;
  }

  private runFrom(from: number): Run | undefined {
    if (from >= this.pairCount) return undefined;
    let to = from + 1;
    while (to < this.pairCount && this.groupAt(to) === this.groupAt(from)) to += 1;
    return this.makeRun(from, to);
  }

  private runTo(to: number): Run {
    let from = to - 1;
    while (from > 0 && this.groupAt(from - 1) === this.groupAt(to - 1)) from -= 1;
    return this.makeRun(from, to);
  }

  private makeRun(from: number, to: number): Run {
    const { column } = this;
    const group = this.groupAt(from);
    const isNumber = group < column.numberCount;
    const side = isNumber ? 'numbers' : 'strings';
    return new Run(column, side, isNumber ? group : group - column.numberCount, from, to);
  }

  /** The first pair whose group is `group` or a later one. */
  private firstFrom(group: number): number {
    let [low, high] = [0, this.pairCount];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.groupAt(middle) < group) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
