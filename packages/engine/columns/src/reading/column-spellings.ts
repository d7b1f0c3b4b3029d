import { utf8Text } from '@fossick/base';
import { type DocGroups, u32ArrayIn } from '@fossick/kernel';
import type { HeldOnDemand } from '@fossick/kernel/memory';
import { SAME_SPELLING, SPELLING_BY_DOC } from '../bytes/column-format.js';
import { type ColumnStructure, copyOfSpan } from '../bytes/column-spans.js';
import type { StoredColumn } from './stored-column.js';

/**
 * Spelling sections of at most this many bytes are held in memory; of larger ones, single spellings are read from the
 * store.
 */
const HELD_BYTES_MAX = 1 << 20;

/** The string values of a column, as the original spellings refer to them. */
interface SpelledGroups {
  /** The normalised value of a group in UTF-8. */
  textAt(group: number): Uint8Array;
  loadGroups(side: 'strings'): DocGroups;
}

/** The original spellings of a column's string values. */
export class ColumnSpellings {
  private readonly stored: StoredColumn;
  private readonly values: SpelledGroups;
  /** How many groups may have their only spelling cached. */
  private readonly cachedMax: number;
  private readonly span: HeldOnDemand<ColumnStructure>;
  private readonly cached: (string | null)[] = [];

  constructor(stored: StoredColumn, values: SpelledGroups, cachedMax: number) {
    this.stored = stored;
    this.values = values;
    this.cachedMax = cachedMax;
    this.span = stored.span('spellingOf', 'spellingOffsets');
  }

  /** The original spelling of a string group when all its documents share it; null when they have several. */
  only(group: number): string | null {
    if (this.stored.wordCount('stringOffsets') - 1 > this.cachedMax) return this.findOnly(group);
    const known = this.cached[group];
    if (known !== undefined) return known;
    const found = this.findOnly(group);
    this.cached[group] = found;
    return found;
  }

  /** The original spelling of string entry `entry`, counted from the column's start, of a group. */
  at(group: number, entry: number): string {
    const { bytes, layout } = this.stored;
    const ref = this.word('spellingOf', group);
    let id = ref;
    if (isByDocument(ref)) id = this.word('docSpellings', ref - SPELLING_BY_DOC + entry - this.firstEntry(group));
    if (id === SAME_SPELLING) return utf8Text(this.values.textAt(group));
    const { from } = layout.spelling;
    const [start, end] = [this.word('spellingOffsets', id), this.word('spellingOffsets', id + 1)];
    return utf8Text(copyOfSpan(bytes, from + start, from + end));
  }

  private findOnly(group: number): string | null {
    return isByDocument(this.word('spellingOf', group)) ? null : this.at(group, this.firstEntry(group));
  }

  private firstEntry(group: number): number {
    return this.stored.kernel.memory.u32At(this.values.loadGroups('strings').offsets, group);
  }

  private word(name: 'spellingOf' | 'docSpellings' | 'spellingOffsets', index: number): number {
    const { kernel, layout } = this.stored;
    const first = layout.spellingOf.from;
    if (layout.spellingOffsets.to - first > HELD_BYTES_MAX) return this.stored.word(name, index);
    return kernel.memory.u32At(u32ArrayIn(this.span.load().ptr, layout[name].from - first), index);
  }
}

const isByDocument = (ref: number): boolean => ref !== SAME_SPELLING && ref >= SPELLING_BY_DOC;
