import { utf8Bytes } from '@fossick/base';
import type { MorphemeDictionary, MorphemeTable } from './morphemes.js';

/** The mode "decompose": long words have a penalty, so that compounds are cut where their parts are known. */
const KANJI_FREE_CHARS = 2;
const KANJI_CHAR_COST = 3000;
const OTHER_FREE_CHARS = 7;
const OTHER_CHAR_COST = 1700;
const FIRST_KANJI = 0x4e00;
const LAST_KANJI = 0x9faf;
const NONE = -1;

/**
 * The cheapest path through a text's words (Kudo, Yamamoto, Matsumoto 2004): each entry has a cost, and a connection
 * cost to the previous entry. One lattice serves many texts and reuses its arrays.
 */
export class Lattice {
  private readonly dictionary: MorphemeDictionary;
  private nodeCount = 0;
  private starts = new Int32Array(256);
  private rights = new Int32Array(256);
  private costs = new Int32Array(256);
  private previous = new Int32Array(256);
  /** Linked list of the nodes that end at the same offset, in insertion order. */
  private nextEnding = new Int32Array(256);
  private firstEnding = new Int32Array(64);
  private lastEnding = new Int32Array(64);

  constructor(dictionary: MorphemeDictionary) {
    this.dictionary = dictionary;
  }

  /** UTF-16 lengths of the words of a text. O(length x words that begin at an offset x words that end there). */
  cut(text: string): readonly number[] {
    const bytes = utf8Bytes(text);
    this.clear(bytes.length);
    for (let at = 0; at < bytes.length; at += bytesOfLead(bytes[at]!)) {
      if (this.firstEnding[at] === NONE) continue;
      const hasWord = this.addWords(bytes, at);
      this.addUnknown(bytes, at, hasWord);
    }
    return this.walkBack(bytes);
  }

  private clear(length: number): void {
    if (this.firstEnding.length <= length) {
      this.firstEnding = new Int32Array(length * 2 + 1);
      this.lastEnding = new Int32Array(length * 2 + 1);
    }
    this.firstEnding.fill(NONE, 0, length + 1);
    this.nodeCount = 0;
    this.push(0, 0, 0, 0, NONE);
  }

  private addWords(bytes: Uint8Array, start: number): boolean {
    let hasWord = false;
    this.dictionary.visitWords(bytes, start, (end, surface) => {
      hasWord = true;
      this.addEntries(bytes, start, end, this.dictionary.words, surface);
    });
    return hasWord;
  }

  private addUnknown(bytes: Uint8Array, start: number, hasWord: boolean): void {
    const { kinds, unknown } = this.dictionary;
    const firstEnd = start + bytesOfLead(bytes[start]!);
    const own = this.dictionary.kindsOf(codeAt(bytes, start));
    own.forEach((kind, rank) => {
      const { isAlways, isGrouped } = kinds[kind]!;
      if (hasWord && !isAlways) return;
      let end = firstEnd;
      while (isGrouped && end < bytes.length && this.dictionary.kindsOf(codeAt(bytes, end))[rank] === kind) {
        end += bytesOfLead(bytes[end]!);
      }
      this.addEntries(bytes, start, end, unknown, kind);
    });
  }

  private addEntries(bytes: Uint8Array, start: number, end: number, table: MorphemeTable, surface: number): void {
    const { connections, width } = this.dictionary;
    const penalty = penaltyOf(bytes, start, end);
    const last = table.starts[surface + 1]!;
    for (let entry = table.starts[surface]!; entry < last; entry++) {
      const left = table.lefts[entry]!;
      let best = Number.POSITIVE_INFINITY;
      let bestNode = NONE;
      for (let node = this.firstEnding[start]!; node !== NONE; node = this.nextEnding[node]!) {
        const cost = this.costs[node]! + connections[this.rights[node]! * width + left]!;
        if (cost < best) {
          best = cost;
          bestNode = node;
        }
      }
      this.push(start, end, table.rights[entry]!, best + table.costs[entry]! + penalty, bestNode);
    }
  }

  private push(start: number, end: number, right: number, cost: number, previous: number): void {
    const node = this.nodeCount++;
    if (node === this.starts.length) this.grow();
    this.starts[node] = start;
    this.rights[node] = right;
    this.costs[node] = cost;
    this.previous[node] = previous;
    this.nextEnding[node] = NONE;
    if (this.firstEnding[end] === NONE) this.firstEnding[end] = node;
    else this.nextEnding[this.lastEnding[end]!] = node;
    this.lastEnding[end] = node;
  }

  private grow(): void {
    const twice = (array: Int32Array): Int32Array<ArrayBuffer> => {
      const grown = new Int32Array(array.length * 2);
      grown.set(array);
      return grown;
    };
    this.starts = twice(this.starts);
    this.rights = twice(this.rights);
    this.costs = twice(this.costs);
    this.previous = twice(this.previous);
    this.nextEnding = twice(this.nextEnding);
  }

  private walkBack(bytes: Uint8Array): readonly number[] {
    const { connections, width } = this.dictionary;
    let best = Number.POSITIVE_INFINITY;
    let node = NONE;
    for (let last = this.firstEnding[bytes.length]!; last !== NONE; last = this.nextEnding[last]!) {
      const cost = this.costs[last]! + connections[this.rights[last]! * width]!;
      if (cost < best) {
        best = cost;
        node = last;
      }
    }
    const lengths: number[] = [];
    for (let end = bytes.length; node > 0; node = this.previous[node]!) {
      lengths.push(unitsBetween(bytes, this.starts[node]!, end));
      end = this.starts[node]!;
    }
    return lengths.reverse();
  }
}

function penaltyOf(bytes: Uint8Array, start: number, end: number): number {
  let charCount = 0;
  let isKanjiOnly = true;
  for (let at = start; at < end; at += bytesOfLead(bytes[at]!)) {
    charCount++;
    if (!isKanjiOnly) continue;
    const code = codeAt(bytes, at);
    isKanjiOnly = code >= FIRST_KANJI && code <= LAST_KANJI;
  }
  if (isKanjiOnly) return Math.max(0, charCount - KANJI_FREE_CHARS) * KANJI_CHAR_COST;
  return Math.max(0, charCount - OTHER_FREE_CHARS) * OTHER_CHAR_COST;
}

function bytesOfLead(lead: number): number {
  if (lead < 0x80) return 1;
  if (lead < 0xe0) return 2;
  return lead < 0xf0 ? 3 : 4;
}

function codeAt(bytes: Uint8Array, at: number): number {
  const lead = bytes[at]!;
  if (lead < 0x80) return lead;
  const second = bytes[at + 1]! & 0x3f;
  if (lead < 0xe0) return ((lead & 0x1f) << 6) | second;
  const third = bytes[at + 2]! & 0x3f;
  if (lead < 0xf0) return ((lead & 0x0f) << 12) | (second << 6) | third;
  return ((lead & 0x07) << 18) | (second << 12) | (third << 6) | (bytes[at + 3]! & 0x3f);
}

/** Number of UTF-16 units of the UTF-8 bytes. */
function unitsBetween(bytes: Uint8Array, start: number, end: number): number {
  let units = 0;
  for (let at = start; at < end; at += bytesOfLead(bytes[at]!)) units += bytes[at]! < 0xf0 ? 1 : 2;
  return units;
}
