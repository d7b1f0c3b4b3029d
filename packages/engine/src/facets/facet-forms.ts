/** The string values of a column in the form that facet search compares (spec 12 section 8), made once for a column. */
import { normalizeLossy } from '@fossick/tokenizer';
import type { ColumnParts } from './column-format.js';
import { cutFacetText } from './facet-text.js';
import { GrowingTexts } from './growing.js';
import type { PrefixDistance } from './prefix-distance.js';

/** Lower-case ASCII is its own form, in whatever language. */
const OWN_FORM = /^[ -@[-`{-~a-z]*$/;

/** Forms of one column in byte order, those of equal forms in the order of their groups. O(log values) to find one. */
export class FormTable {
  /** Bytes that each form shares with the one before. */
  readonly #shared: Uint16Array;

  private constructor(
    /** The group of each form. */
    readonly groups: Uint32Array,
    private readonly offsets: Uint32Array,
    private readonly bytes: Buffer,
  ) {
    this.#shared = new Uint16Array(groups.length);
    for (let place = 1; place < groups.length; place++) this.#shared[place] = this.#sharedBytes(place);
  }

  /** Forms in the languages of the attribute's rule. O(values * log values) */
  static build(column: ColumnParts, locales: readonly string[] | undefined): FormTable {
    const { text, textOffsets } = column;
    const all = Buffer.from(text.buffer, text.byteOffset, text.byteLength);
    const count = textOffsets.length - 1;
    // UTF-8 read as Latin-1: such strings compare as their bytes do
    const forms = Array.from({ length: count }, (_, group) => {
      const raw = all.toString('latin1', textOffsets[group], textOffsets[group + 1]);
      if (OWN_FORM.test(raw)) return raw;
      const value = all.toString('utf8', textOffsets[group], textOffsets[group + 1]);
      return Buffer.from(cutFacetText(normalizeLossy(value, locales))).toString('latin1');
    });
    const order = Uint32Array.from({ length: count }, (_, group) => group);
    if (forms.some((form, group) => group > 0 && form < forms[group - 1]!))
      order.sort((a, b) => (forms[a]! < forms[b]! ? -1 : forms[a]! > forms[b]! ? 1 : a - b));
    const texts = new GrowingTexts();
    for (const group of order) texts.push(Buffer.from(forms[group]!, 'latin1'));
    return new FormTable(order, texts.offsets.slice(), Buffer.from(texts.all));
  }

  /** The bytes of the form at a place. */
  at(place: number): Uint8Array {
    return this.bytes.subarray(this.offsets[place], this.offsets[place + 1]);
  }

  /** Places [from, to) of forms that begin with the text. */
  prefixRange(text: Uint8Array): readonly [from: number, to: number] {
    return [this.#bound(text), this.#bound(Buffer.concat([text, Buffer.from([0xff])]))]; // no UTF-8 text holds this byte
  }

  /** Places [from, to) of forms that are the text. */
  exactRange(text: Uint8Array): readonly [from: number, to: number] {
    return [this.#bound(text), this.#bound(Buffer.concat([text, Buffer.from([0])]))];
  }

  /**
   * Ranges of places, ascending, whose forms begin with something close to the query. What a prefix decides is decided for all forms that
   * share it, so most are never looked at. `look` is called now and then and may answer true to end it.
   */
  near(distance: PrefixDistance, look: () => boolean): [from: number, to: number][] {
    const ranges: [number, number][] = [];
    let decidingBytes = Number.POSITIVE_INFINITY;
    let isIn = false;
    let looks = 0;
    let shared = 0;
    for (let place = 0; place < this.groups.length; place++) {
      // what all forms since the latest that was looked at have in common with it
      shared = place === 0 ? 0 : Math.min(shared, this.#shared[place]!);
      if (place === 0 || shared < decidingBytes) {
        if ((++looks & 0xff) === 0 && look()) break;
        const form = this.bytes.toString('utf8', this.offsets[place], this.offsets[place + 1]);
        isIn = distance.includes(form, shared);
        decidingBytes = distance.decidingBytes;
        shared = Number.POSITIVE_INFINITY;
      }
      if (!isIn) continue;
      const last = ranges[ranges.length - 1];
      if (last !== undefined && last[1] === place) last[1] = place + 1;
      else ranges.push([place, place + 1]);
    }
    return ranges;
  }

  #bound(text: Uint8Array): number {
    let [low, high] = [0, this.groups.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (Buffer.compare(this.at(middle), text) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #sharedBytes(place: number): number {
    const [before, start, end] = [this.offsets[place - 1]!, this.offsets[place]!, this.offsets[place + 1]!];
    const length = Math.min(start - before, end - start);
    let shared = 0;
    while (shared < length && this.bytes[before + shared] === this.bytes[start + shared]) shared += 1;
    return shared;
  }
}

/** Columns never change, and are let go with their segment. */
const tables = new WeakMap<ColumnParts, Map<string, FormTable>>();

/** The column's forms in the languages of the attribute's rule, made when they are first asked for. */
export function formsOf(column: ColumnParts, locales: readonly string[] | undefined): FormTable {
  const key = locales === undefined ? '' : JSON.stringify(locales);
  let ofColumn = tables.get(column);
  if (ofColumn === undefined) {
    ofColumn = new Map();
    tables.set(column, ofColumn);
  }
  let table = ofColumn.get(key);
  if (table === undefined) {
    ofColumn.clear(); // a rule's languages change with the settings only
    table = FormTable.build(column, locales);
    ofColumn.set(key, table);
  }
  return table;
}
