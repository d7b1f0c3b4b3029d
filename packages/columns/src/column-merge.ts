import type { DocId, DocIds } from '@fossick/base';
import { type ColumnParts, readColumn, SAME_SPELLING, SPELLING_BY_DOC, textAt, writeColumn } from './column-format.js';
import { GrowingTexts, GrowingWords } from './growing.js';

/** One column to be merged. Live documents of different inputs are distinct. */
export interface MergeInput {
  readonly bytes: Uint8Array;
  readonly isDeleted: (docId: DocId) => boolean;
}

interface OpenInput {
  readonly column: ColumnParts;
  readonly isDeleted: (docId: DocId) => boolean;
}

/**
 * Merges columns of one field of several segments into one, without deleted documents and without values that have no
 * live document. O(total entries + distinct values * inputs), without an object for an entry.
 */
export function mergeColumns(inputs: readonly MergeInput[]): Uint8Array {
  const open = inputs.map(({ bytes, isDeleted }) => ({ column: readColumn(bytes), isDeleted }));
  return writeColumn({
    ...mergeNumbers(open),
    ...new StringMerge(open).merge(),
    exists: mergeDocs(open, (column) => column.exists),
    nulls: mergeDocs(open, (column) => column.nulls),
    empties: mergeDocs(open, (column) => column.empties),
    blanks: mergeDocs(open, (column) => column.blanks),
  });
}

type NumberParts = Pick<ColumnParts, 'numbers' | 'numberOffsets' | 'numberDocs'>;

function mergeNumbers(open: readonly OpenInput[]): NumberParts {
  const numbers: number[] = [];
  const offsets = new GrowingWords();
  const docs = new GrowingWords();
  const groups = open.map(() => 0);
  offsets.push(0);
  for (;;) {
    let least = Number.POSITIVE_INFINITY;
    for (let i = 0; i < open.length; i++) least = Math.min(least, open[i]!.column.numbers[groups[i]!] ?? least);
    if (least === Number.POSITIVE_INFINITY) break;
    const start = docs.length;
    for (let i = 0; i < open.length; i++) {
      const { column, isDeleted } = open[i]!;
      const group = groups[i]!;
      if (column.numbers[group] !== least) continue;
      groups[i] = group + 1;
      const end = column.numberOffsets[group + 1]!;
      for (let entry = column.numberOffsets[group]!; entry < end; entry++) {
        const doc = column.numberDocs[entry]!;
        if (!isDeleted(doc)) docs.push(doc);
      }
    }
    if (docs.length === start) continue;
    docs.from(start).sort();
    numbers.push(least);
    offsets.push(docs.length);
  }
  return { numbers: Float64Array.from(numbers), numberOffsets: offsets.from(0), numberDocs: docs.from(0) as DocIds };
}

/** An input whose string groups are visited in order. */
interface StringInput extends OpenInput {
  group: number;
  /** Text of the current group; undefined at the end. */
  text: Uint8Array | undefined;
  /** By spelling of the input: its index in the result, or -1. */
  readonly spellings: Int32Array;
}

type StringParts = Omit<ColumnParts, keyof NumberParts | 'exists' | 'nulls' | 'empties' | 'blanks'>;

class StringMerge {
  private readonly inputs: readonly StringInput[];
  private readonly offsets = new GrowingWords();
  private readonly docs = new GrowingWords();
  private readonly texts = new GrowingTexts();
  private readonly spellings = new GrowingTexts();
  private readonly spellingOf = new GrowingWords();
  private readonly docSpellings = new GrowingWords();
  /** Spelling of each document of the current group. */
  private readonly refs = new GrowingWords();

  constructor(open: readonly OpenInput[]) {
    this.inputs = open.map(({ column, isDeleted }) => ({
      column,
      isDeleted,
      group: 0,
      text: headOf(column, 0),
      spellings: new Int32Array(column.spellingOffsets.length).fill(-1),
    }));
    this.offsets.push(0);
  }

  merge(): StringParts {
    for (let text = this.leastText(); text !== undefined; text = this.leastText()) this.mergeGroup(text);
    return {
      stringOffsets: this.offsets.from(0),
      stringDocs: this.docs.from(0) as DocIds,
      textOffsets: this.texts.offsets,
      text: this.texts.all,
      spellingOf: this.spellingOf.from(0),
      docSpellings: this.docSpellings.from(0),
      spellingOffsets: this.spellings.offsets,
      spelling: this.spellings.all,
    };
  }

  private leastText(): Uint8Array | undefined {
    let least: Uint8Array | undefined;
    for (const { text } of this.inputs) {
      if (text !== undefined && (least === undefined || Buffer.compare(text, least) < 0)) least = text;
    }
    return least;
  }

  private mergeGroup(text: Uint8Array): void {
    const start = this.docs.length;
    const firstSpelling = this.spellings.offsets.length - 1;
    this.refs.length = 0;
    for (const input of this.inputs) {
      if (input.text === undefined || Buffer.compare(input.text, text) !== 0) continue;
      this.take(input, firstSpelling);
      input.group += 1;
      input.text = headOf(input.column, input.group);
    }
    if (this.docs.length === start) return;
    const docs = this.docs.from(start);
    const refs = this.refs.from(0);
    sortTogether(docs, refs);
    this.texts.push(text);
    this.offsets.push(this.docs.length);
    if (refs.every((ref) => ref === refs[0])) {
      this.spellingOf.push(refs[0]!);
      return;
    }
    this.spellingOf.push(SPELLING_BY_DOC + this.docSpellings.length);
    for (const ref of refs) this.docSpellings.push(ref);
  }

  /** Adds the live documents of the input's group. */
  private take(input: StringInput, firstSpelling: number): void {
    const { column, isDeleted, group } = input;
    const start = column.stringOffsets[group]!;
    const end = column.stringOffsets[group + 1]!;
    const whole = column.spellingOf[group]!;
    const isByDoc = whole !== SAME_SPELLING && whole >= SPELLING_BY_DOC;
    for (let entry = start; entry < end; entry++) {
      const doc = column.stringDocs[entry]!;
      if (isDeleted(doc)) continue;
      const own = isByDoc ? column.docSpellings[whole - SPELLING_BY_DOC + entry - start]! : whole;
      this.docs.push(doc);
      this.refs.push(own === SAME_SPELLING ? SAME_SPELLING : this.spellingFor(input, own, firstSpelling));
    }
  }

  /**
   * The index in the result of an input's spelling. A spelling that several inputs have for this value is stored once.
   */
  private spellingFor({ column, spellings }: StringInput, own: number, firstSpelling: number): number {
    if (spellings[own]! >= 0) return spellings[own]!;
    const bytes = column.spelling.subarray(column.spellingOffsets[own], column.spellingOffsets[own + 1]);
    let number = firstSpelling;
    const end = this.spellings.offsets.length - 1;
    while (number < end && Buffer.compare(this.spellings.at(number), bytes) !== 0) number++;
    if (number === end) this.spellings.push(bytes);
    spellings[own] = number;
    return number;
  }
}

function headOf(column: ColumnParts, group: number): Uint8Array | undefined {
  return group < column.spellingOf.length ? textAt(column, group) : undefined;
}

/** Sorts documents, and the spelling of each with them. */
function sortTogether(docs: Uint32Array, refs: Uint32Array): void {
  let at = 1;
  while (at < docs.length && docs[at - 1]! < docs[at]!) at++;
  if (at >= docs.length) return;
  const [oldDocs, oldRefs] = [docs.slice(), refs.slice()];
  const order = Uint32Array.from(oldDocs.keys()).sort((a, b) => oldDocs[a]! - oldDocs[b]!);
  order.forEach((from, to) => {
    docs[to] = oldDocs[from]!;
    refs[to] = oldRefs[from]!;
  });
}

function mergeDocs(open: readonly OpenInput[], list: (column: ColumnParts) => DocIds): DocIds {
  const docs = new GrowingWords();
  for (const { column, isDeleted } of open) for (const doc of list(column)) if (!isDeleted(doc)) docs.push(doc);
  return docs.from(0).sort() as DocIds;
}
