import { compareBytes, type DocId, type DocIds } from '@fossick/base';
import { type ColumnParts, haveRests, readColumn, SAME_SPELLING, SPELLING_BY_DOC } from '../bytes/column-format.js';

/**
 * Blocks of 8 to 32 MiB stay in the heap of the C library once they are freed; larger ones are mapped, and given back. The
 * part that is not written takes no memory.
 */
const MAPPED_BYTES = 33 << 20;
/** Smaller blocks are not worth a mapping. */
const LARGE_BYTES = 1 << 20;

/** Up to this many documents are copied one by one: the call that copies more at once takes as long. */
const LOOP_MAX = 16;
/** Bytes of a text that fit in a number without loss. Most comparisons end there. */
const PREFIX_BYTES = 6;
/** For the ends of lists of offsets, and to align the lists. */
const ROOM_SLACK = 1024;

/** One column to be merged. Live documents of different inputs are distinct. */
export interface MergeInput {
  readonly bytes: Uint8Array;
  /** Undefined when no document is deleted. */
  readonly isDeleted: ((docId: DocId) => boolean) | undefined;
}

interface OpenInput {
  readonly column: ColumnParts;
  readonly isDeleted: MergeInput['isDeleted'];
}

/**
 * Merges columns of one field of several segments into one, without deleted documents and without values that have no
 * live document. O(total entries + distinct values * inputs), without an object for an entry
 * or a value; allocates the size of all inputs, as one block.
 */
export function mergedParts(inputs: readonly MergeInput[]): ColumnParts {
  // Batches have documents one after the other: in this order most lists of documents are ascending as they are joined.
  const open = inputs
    .map(({ bytes, isDeleted }) => ({ column: readColumn(bytes), isDeleted }))
    .sort((left, right) => (left.column.exists[0] ?? 0) - (right.column.exists[0] ?? 0));
  const space = new MergeSpace(spaceBytes(open));
  return {
    ...mergeNumbers(open, space),
    ...new StringMerge(open, space).merge(),
    exists: mergeDocs(open, space, (column) => column.exists),
    nulls: mergeDocs(open, space, (column) => column.nulls),
    empties: mergeDocs(open, space, (column) => column.empties),
    blanks: mergeDocs(open, space, (column) => column.blanks),
  };
}

/** The most bytes of a merged column: that of its inputs, and a spelling for each entry. */
function spaceBytes(open: readonly OpenInput[]): number {
  const stored = total(open, (column) => Object.values(column).reduce((sum, part) => sum + part.byteLength, 0));
  const rests = total(open, (column) => column.rests.length) === 0 ? 0 : total(open, (column) => column.numbers.length);
  return stored + 4 * (total(open, (column) => column.stringDocs.length) + rests) + ROOM_SLACK;
}

/** Sum of a size over all inputs. */
function total(open: readonly OpenInput[], sizeOf: (column: ColumnParts) => number): number {
  return open.reduce((sum, { column }) => sum + sizeOf(column), 0);
}

/** Documents of a column that is made, and where the next ones go. */
class MergedDocs {
  readonly docs: Uint32Array;
  end = 0;

  constructor(docs: Uint32Array) {
    this.docs = docs;
  }

  /** Adds the live ones of documents [from, to). */
  addLive(docs: DocIds, from: number, to: number, isDeleted: MergeInput['isDeleted']): void {
    if (isDeleted === undefined && to - from > LOOP_MAX) {
      this.docs.set(docs.subarray(from, to), this.end);
      this.end += to - from;
      return;
    }
    for (let entry = from; entry < to; entry++) {
      const doc = docs[entry]!;
      if (isDeleted?.(doc) !== true) this.docs[this.end++] = doc;
    }
  }

  /** Sorts those from `start` on, unless they are sorted. */
  sortFrom(start: number): void {
    if (!isAscending(this.docs, start, this.end)) this.docs.subarray(start, this.end).sort();
  }

  get all(): DocIds {
    return this.docs.subarray(0, this.end) as DocIds;
  }
}

function isAscending(docs: Uint32Array, from: number, to: number): boolean {
  for (let at = from + 1; at < to; at++) if (docs[at - 1]! >= docs[at]!) return false;
  return true;
}

type NumberParts = Pick<ColumnParts, 'numbers' | 'rests' | 'numberOffsets' | 'numberDocs'>;

function mergeNumbers(open: readonly OpenInput[], space: MergeSpace): NumberParts {
  const numbers = space.doubles(total(open, (column) => column.numbers.length));
  const rests = space.integers(open.some(({ column }) => column.rests.length > 0) ? numbers.length : 0);
  const offsets = space.words(numbers.length + 1);
  const merged = new MergedDocs(space.words(total(open, (column) => column.numberDocs.length)));
  const groups = open.map(() => 0);
  // Infinity: the input is at its end. It is no number of a document.
  const heads = Float64Array.from(open, ({ column }) => column.numbers[0] ?? Number.POSITIVE_INFINITY);
  const headRests = Int32Array.from(open, ({ column }) => column.rests[0] ?? 0);
  let count = 0;
  for (;;) {
    let [least, rest] = [Number.POSITIVE_INFINITY, 0];
    for (let i = 0; i < heads.length; i++)
      if (heads[i]! < least || (heads[i] === least && headRests[i]! < rest)) [least, rest] = [heads[i]!, headRests[i]!];
    if (least === Number.POSITIVE_INFINITY) break;
    const start = merged.end;
    for (let i = 0; i < heads.length; i++) {
      if (heads[i] !== least || headRests[i] !== rest) continue;
      const { column, isDeleted } = open[i]!;
      const group = groups[i]!;
      groups[i] = group + 1;
      heads[i] = group + 1 < column.numbers.length ? column.numbers[group + 1]! : Number.POSITIVE_INFINITY;
      headRests[i] = group + 1 < column.rests.length ? column.rests[group + 1]! : 0;
      const { numberOffsets, numberDocs } = column;
      merged.addLive(numberDocs, numberOffsets[group]!, numberOffsets[group + 1]!, isDeleted);
    }
    if (merged.end === start) continue;
    merged.sortFrom(start);
    numbers[count] = least;
    if (rests.length > 0) rests[count] = rest;
    offsets[++count] = merged.end;
  }
  const left = numbers.subarray(0, count);
  return {
    numbers: left,
    rests: rests.subarray(0, haveRests(left) ? count : 0),
    numberOffsets: offsets.subarray(0, count + 1),
    numberDocs: merged.all,
  };
}

/** An input whose string groups are visited in order. */
interface StringInput extends OpenInput {
  group: number;
  /** Byte offsets of the group's text in the column; the start is -1 after the last group. */
  start: number;
  end: number;
  /** The first bytes of the text as a number that orders as they do. */
  prefix: number;
  /** By spelling of the input: its index in the result, or -1. */
  readonly spellings: Int32Array;
}

type StringParts = Omit<ColumnParts, keyof NumberParts | 'exists' | 'nulls' | 'empties' | 'blanks'>;

class StringMerge {
  private readonly inputs: readonly StringInput[];
  private readonly offsets: Uint32Array;
  private readonly docs: Uint32Array;
  private readonly textOffsets: Uint32Array;
  private readonly text: Uint8Array;
  private readonly spellingOf: Uint32Array;
  private readonly docSpellings: Uint32Array;
  private readonly spellingOffsets: Uint32Array;
  private readonly spelling: Uint8Array;
  private groupCount = 0;
  private spellingCount = 0;
  /** Entries of `docSpellings` of earlier groups: those of the current one follow, and stay if they differ. */
  private docSpellingCount = 0;
  /** Whether all documents of the current group so far have the same spelling. */
  private isOfOneSpelling = true;
  /** The inputs that have the current group. */
  private readonly having: StringInput[] = [];

  constructor(open: readonly OpenInput[], space: MergeSpace) {
    this.inputs = open.map(({ column, isDeleted }) => {
      const spellings = new Int32Array(column.spellingOffsets.length).fill(-1);
      return { column, isDeleted, group: -1, start: 0, end: 0, prefix: 0, spellings };
    });
    for (const input of this.inputs) advance(input);
    const groupMax = total(open, (column) => column.spellingOf.length);
    const docMax = total(open, (column) => column.stringDocs.length);
    this.spellingOf = space.words(groupMax);
    this.offsets = space.words(groupMax + 1);
    this.textOffsets = space.words(groupMax + 1);
    this.docs = space.words(docMax);
    this.docSpellings = space.words(docMax);
    this.spellingOffsets = space.words(total(open, (column) => column.spellingOffsets.length));
    this.spelling = space.bytes(total(open, (column) => column.spelling.length));
    this.text = space.bytes(total(open, (column) => column.text.length));
  }

  merge(): StringParts {
    while (this.findLeast()) this.mergeGroup();
    const count = this.groupCount;
    return {
      stringOffsets: this.offsets.subarray(0, count + 1),
      stringDocs: this.docs.subarray(0, this.offsets[count]) as DocIds,
      textOffsets: this.textOffsets.subarray(0, count + 1),
      text: this.text.subarray(0, this.textOffsets[count]),
      spellingOf: this.spellingOf.subarray(0, count),
      docSpellings: this.docSpellings.subarray(0, this.docSpellingCount),
      spellingOffsets: this.spellingOffsets.subarray(0, this.spellingCount + 1),
      spelling: this.spelling.subarray(0, this.spellingOffsets[this.spellingCount]),
    };
  }

  /** Finds the inputs that have the least text; false at the end of all. */
  private findLeast(): boolean {
    const { having } = this;
    having.length = 0;
    for (const input of this.inputs) {
      if (input.start < 0) continue;
      const order = having.length === 0 ? 0 : compareTexts(input, having[0]!);
      if (order < 0) having.length = 0;
      if (order <= 0) having.push(input);
    }
    return having.length > 0;
  }

  private mergeGroup(): void {
    const { docs, docSpellings, docSpellingCount, having, groupCount } = this;
    const [first] = having;
    const textEnd = this.addText(first!);
    const firstSpelling = this.spellingCount;
    const start = this.offsets[groupCount]!;
    let end = start;
    this.isOfOneSpelling = true;
    for (const input of having) {
      end = this.take(input, start, end, firstSpelling);
      advance(input);
    }
    if (end === start) return;
    this.offsets[groupCount + 1] = end;
    this.textOffsets[groupCount + 1] = textEnd;
    this.groupCount = groupCount + 1;
    const isSorted = isAscending(docs, start, end);
    if (this.isOfOneSpelling) {
      this.spellingOf[groupCount] = docSpellings[docSpellingCount]!;
      if (!isSorted) docs.subarray(start, end).sort();
      return;
    }
    this.docSpellingCount += end - start;
    if (!isSorted)
      sortTogether(docs.subarray(start, end), docSpellings.subarray(docSpellingCount, this.docSpellingCount));
    this.spellingOf[groupCount] = SPELLING_BY_DOC + docSpellingCount;
  }

  /** Appends the text of a group; returns its end. It counts once the group has documents. */
  private addText({ column, start, end }: StringInput): number {
    let at = this.textOffsets[this.groupCount]!;
    for (let from = start; from < end; from++) this.text[at++] = column.text[from]!;
    return at;
  }

  /** Adds the live documents of the input's group, which begins at `groupStart`, at `at`; returns the end. */
  private take(input: StringInput, groupStart: number, at: number, firstSpelling: number): number {
    const { column, isDeleted, group } = input;
    const { docSpellings } = this;
    const start = column.stringOffsets[group]!;
    const end = column.stringOffsets[group + 1]!;
    const whole = column.spellingOf[group]!;
    const isByDoc = whole !== SAME_SPELLING && whole >= SPELLING_BY_DOC;
    const refs = this.docSpellingCount;
    let to = at;
    for (let entry = start; entry < end; entry++) {
      const doc = column.stringDocs[entry]!;
      if (isDeleted?.(doc) === true) continue;
      const own = isByDoc ? column.docSpellings[whole - SPELLING_BY_DOC + entry - start]! : whole;
      const ref = own === SAME_SPELLING ? SAME_SPELLING : this.spellingFor(input, own, firstSpelling);
      docSpellings[refs + to - groupStart] = ref;
      if (ref !== docSpellings[refs]) this.isOfOneSpelling = false;
      this.docs[to++] = doc;
    }
    return to;
  }

  /**
   * The index in the result of an input's spelling. A spelling that several inputs have for this value is stored once.
   */
  private spellingFor({ column, spellings }: StringInput, own: number, firstSpelling: number): number {
    if (spellings[own]! >= 0) return spellings[own]!;
    const bytes = column.spelling.subarray(column.spellingOffsets[own], column.spellingOffsets[own + 1]);
    const { spelling, spellingOffsets } = this;
    let number = firstSpelling;
    const isOther = (): boolean =>
      compareBytes(spelling.subarray(spellingOffsets[number], spellingOffsets[number + 1]), bytes) !== 0;
    while (number < this.spellingCount && isOther()) number++;
    if (number === this.spellingCount) {
      spelling.set(bytes, spellingOffsets[number]!);
      this.spellingCount += 1;
      spellingOffsets[this.spellingCount] = spellingOffsets[number]! + bytes.length;
    }
    spellings[own] = number;
    return number;
  }
}

/** Advances an input to its next group. */
function advance(input: StringInput): void {
  const { column } = input;
  const group = ++input.group;
  if (group >= column.spellingOf.length) {
    input.start = -1;
    return;
  }
  const { text, textOffsets } = column;
  const start = textOffsets[group]!;
  const end = textOffsets[group + 1]!;
  input.start = start;
  input.end = end;
  let prefix = 0;
  for (let at = start; at < start + PREFIX_BYTES; at++) prefix = prefix * 256 + (at < end ? text[at]! : 0);
  input.prefix = prefix;
}

/** Orders the texts of two inputs by their bytes: below 0, 0 or above. */
function compareTexts(left: StringInput, right: StringInput): number {
  if (left.prefix !== right.prefix) return left.prefix - right.prefix;
  const [leftText, rightText] = [left.column.text, right.column.text];
  const leftLength = left.end - left.start;
  const rightLength = right.end - right.start;
  const shared = Math.min(leftLength, rightLength);
  for (let at = Math.min(PREFIX_BYTES, shared); at < shared; at++) {
    const order = leftText[left.start + at]! - rightText[right.start + at]!;
    if (order !== 0) return order;
  }
  return leftLength - rightLength;
}

/** Sorts documents, and the spelling of each with them. */
function sortTogether(docs: Uint32Array, refs: Uint32Array): void {
  const [oldDocs, oldRefs] = [docs.slice(), refs.slice()];
  const order = Uint32Array.from(oldDocs.keys()).sort((a, b) => oldDocs[a]! - oldDocs[b]!);
  order.forEach((from, to) => {
    docs[to] = oldDocs[from]!;
    refs[to] = oldRefs[from]!;
  });
}

function mergeDocs(open: readonly OpenInput[], space: MergeSpace, list: (column: ColumnParts) => DocIds): DocIds {
  const merged = new MergedDocs(space.words(total(open, (column) => list(column).length)));
  for (const { column, isDeleted } of open) merged.addLive(list(column), 0, list(column).length, isDeleted);
  merged.sortFrom(0);
  return merged.all;
}

/** One block of zeros for all lists of a column. */
class MergeSpace {
  private readonly buffer: ArrayBuffer;
  private used = 0;

  /** `byteCount`: of all lists, with up to 7 bytes for each to align it. */
  constructor(byteCount: number) {
    this.buffer = new ArrayBuffer(byteCount < LARGE_BYTES ? byteCount : Math.max(byteCount, MAPPED_BYTES));
  }

  doubles(count: number): Float64Array {
    return new Float64Array(this.buffer, this.take(count * 8), count);
  }

  words(count: number): Uint32Array {
    return new Uint32Array(this.buffer, this.take(count * 4), count);
  }

  integers(count: number): Int32Array {
    return new Int32Array(this.buffer, this.take(count * 4), count);
  }

  bytes(count: number): Uint8Array {
    return new Uint8Array(this.buffer, this.take(count), count);
  }

  private take(byteCount: number): number {
    const at = this.used;
    this.used += (byteCount + 7) & ~7;
    return at;
  }
}
