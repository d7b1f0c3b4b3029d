import { joinedBytes, latin1Bytes, latin1Text, stepInBudget, utf8Bytes, utf8Text } from '@fossick/base';
/** The string values of a column in the form that facet search compares, in byte order. */

import { blockIn, type Kernel, type None, type TextRow, type U32Array, u32ArrayIn } from '@fossick/kernel';
import { type EvictingMemory, type HeldMemory, HeldOnDemand } from '@fossick/kernel/memory';
import { normalizeLossy } from '@fossick/tokenizer';

import { KernelBlock } from '../bytes/column-spans.js';
import { cutFacetText } from '../bytes/facet-text.js';
import { GrowingTexts } from '../bytes/growing.js';
import type { AllTexts } from '../bytes/text-row.js';

/** Lower-case ASCII is its own form in every language. */
const OWN_FORM = /^[ -@[-`{-~a-z]*$/;

/** The rank of a form among those of one column, in byte order; not the number of its group. */
export type FormOrdinal = number & { readonly __brand: 'FormOrdinal' };

/** Forms of one column; equal forms are in order of their groups. Valid until the view ends. */
export class FormTable {
  private readonly kernel: Kernel;
  readonly forms: TextRow;
  /** u32 group of each form in kernel memory; 0: the values are their own forms. */
  private readonly groups: U32Array | None;

  constructor(kernel: Kernel, forms: TextRow, groups: U32Array | None) {
    this.kernel = kernel;
    this.forms = forms;
    this.groups = groups;
  }

  get hasOwnForms(): boolean {
    return this.groups === 0;
  }

  /** The string group of a form. */
  groupAt(form: FormOrdinal): number {
    return this.groups === 0 ? form : this.kernel.memory.u32At(this.groups, form);
  }

  /** A copy of the bytes of a form. */
  at(form: FormOrdinal): Uint8Array {
    return this.kernel.texts.at(this.forms, form);
  }

  /** Ordinals [from, to) of forms that begin with the text. O(log values) */
  prefixRange(text: Uint8Array): readonly [from: number, to: number] {
    return [this.bound(text), this.bound(joinedBytes([text, AFTER_TEXT]))];
  }

  /** Ordinals [from, to) of forms that equal the text. O(log values) */
  exactRange(text: Uint8Array): readonly [from: number, to: number] {
    return [this.bound(text), this.bound(joinedBytes([text, Uint8Array.of(0)]))];
  }

  /**
   * Ranges of ordinals, ascending, whose forms begin with something within `edits` of the query, found lazily. `look` is called now and then
   * and may return true to end the search. O(query) for each compared form, which are few
   */
  *near(query: string, edits: number, look: () => boolean): Generator<readonly [from: number, to: number], void> {
    const wanted = Uint32Array.from(query, (char) => char.codePointAt(0)!);
    let lookCount = FIRST_LOOKS;
    for (let ordinal = 0; ordinal < this.forms.count; lookCount = Math.min(lookCount * 2, LOOKS_MAX)) {
      const { ranges, next } = this.kernel.texts.near(this.forms, wanted, edits, ordinal, lookCount);
      yield* ranges;
      if (look()) return;
      ordinal = next;
    }
  }

  private bound(text: Uint8Array): number {
    return this.forms.count === 0 ? 0 : this.kernel.texts.bound(this.forms, text, false);
  }
}

/**
 * The number of forms that the first call compares, and the most of a later call: each compares twice as many as the
 * previous one.
 */
const FIRST_LOOKS = 128;
const LOOKS_MAX = 8_192;

/** A byte that no UTF-8 text contains. */
const AFTER_TEXT = Uint8Array.of(0xff);

/** The values of a column that its forms are made of. */
export interface TextValues {
  readonly kernel: Kernel;
  readonly memory: EvictingMemory;
  readonly stringCount: number;
  /** The values, read into memory unless they are there. */
  loadTexts(): TextRow;
  allTexts(): AllTexts;
}

/** Forms that differ from the values, in kernel memory: groups, offsets and bytes. */
class FoldedForms implements HeldMemory {
  readonly kind = 'columns';
  readonly table: FormTable;
  readonly byteCount: number;
  private readonly block: KernelBlock;

  /** Forms in the languages of the attribute's rule. O(values * log values) */
  constructor(column: TextValues, locales: readonly string[] | undefined) {
    const { kernel } = column;
    const { stringCount: count } = column;
    const { text, textOffsets } = column.allTexts();
    // UTF-8 read as Latin-1: such strings compare as their bytes do
    const forms = Array.from({ length: count }, (_, group) => {
      stepInBudget();
      const raw = latin1Text(text, textOffsets[group], textOffsets[group + 1]);
      if (OWN_FORM.test(raw)) return raw;
      const value = utf8Text(text, textOffsets[group], textOffsets[group + 1]);
      return latin1Text(utf8Bytes(cutFacetText(normalizeLossy(value, locales))));
    });
    const order = Uint32Array.from({ length: count }, (_, group) => group);
    if (forms.some((form, group) => group > 0 && form < forms[group - 1]!))
      order.sort((a, b) => (forms[a]! < forms[b]! ? -1 : forms[a]! > forms[b]! ? 1 : a - b));
    const texts = new GrowingTexts();
    for (const group of order) texts.push(latin1Bytes(forms[group]!));
    const { offsets, all } = texts;
    this.block = new KernelBlock(kernel, order.byteLength + offsets.byteLength + all.length);
    const { ptr } = this.block;
    const groups = u32ArrayIn(ptr, 0);
    const ends = u32ArrayIn(ptr, order.byteLength);
    const bytes = blockIn(ptr, order.byteLength + offsets.byteLength);
    kernel.memory.writeU32(groups, order);
    kernel.memory.writeU32(ends, offsets);
    kernel.memory.write(bytes, all);
    this.table = new FormTable(kernel, { count, offsets: ends, bytes }, groups);
    this.byteCount = this.block.byteCount;
  }

  free(): void {
    this.block.free();
  }
}

/** The forms of one column in the languages requested last. */
export class ColumnForms {
  private readonly column: TextValues;
  private isPlain: boolean | undefined;
  private folded: { readonly key: string; readonly held: HeldOnDemand<FoldedForms> } | undefined;

  constructor(column: TextValues) {
    this.column = column;
  }

  /** O(bytes / 16) the first time; then values that are not their own forms are folded. */
  table(locales: readonly string[] | undefined): FormTable {
    const { column } = this;
    this.isPlain ??= column.kernel.texts.isPlain(column.loadTexts());
    if (this.isPlain) return new FormTable(column.kernel, column.loadTexts(), 0);
    const key = locales === undefined ? '' : JSON.stringify(locales);
    if (this.folded?.key !== key) {
      this.close(); // a rule's languages change only with the settings
      this.folded = { key, held: new HeldOnDemand(column.memory, () => new FoldedForms(column, locales)) };
    }
    return this.folded!.held.load().table;
  }

  close(): void {
    this.folded?.held.drop();
  }
}
