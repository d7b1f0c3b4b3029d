/** The documents of phrases. */

import type { IndexView, SegmentView } from '@fossick/index';
import type { Bitmap, Kernel, None } from '@fossick/kernel';
import type { WordLocation, WordTable } from '@fossick/postings';
import { isIndexedWord, type Phrase } from '../../query/query-terms.js';
import { ordinalOf } from '../../query/word-ordinals.js';
import type { BitmapPool } from './bitmap-pool.js';
import type { NearWords, Occurrences } from './near-words.js';

/** The locations of a word in the tables of a segment. */
function wordLocations(kernel: Kernel, segment: SegmentView, word: string): WordLocation[] {
  const places: WordLocation[] = [];
  for (const table of WORD_TABLES) {
    const ordinal = ordinalOf(kernel, segment, table, word);
    if (ordinal !== -1) places.push([table, ordinal]);
  }
  return places;
}
const WORD_TABLES: readonly WordTable[] = ['fuzzy', 'exact'];

/** The single words of phrases. */
interface WordDocs {
  readonly pool: BitmapPool;
  readonly near: NearWords;
  ofWord(word: string): Bitmap;
  occurrencesOf(word: string): Occurrences;
}

export class PhraseDocs {
  private readonly view: IndexView;
  private readonly kernel: Kernel;
  private readonly docs: WordDocs;
  private readonly isRestricted: boolean;

  /** @param isRestricted whether words count in some fields only */
  constructor(view: IndexView, docs: WordDocs, isRestricted: boolean) {
    this.view = view;
    this.kernel = view.kernel;
    this.docs = docs;
    this.isRestricted = isRestricted;
  }

  /** Documents with all words, and with each window of three close together. Stop words are not looked for. */
  find(phrase: Phrase): Bitmap {
    const words = phrase.filter(isIndexedWord);
    if (phrase.length === 2 && words.length === 2 && !this.isRestricted) return this.findAdjacent(words[0]!, words[1]!);
    const docs = this.docs.pool.copyOf(this.docs.ofWord(words[0]!));
    for (const word of words.slice(1)) this.kernel.bitmaps.and(docs, this.docs.ofWord(word));
    // A window over two stop words takes in the words around them.
    const windowSize = Math.min(phrase.length, words.length < phrase.length ? 4 : 3);
    // neighbours first: they leave the fewest documents, and take the fewest steps
    for (let distance = 1; distance < windowSize; distance++)
      for (let at = 0; at + distance < phrase.length; at++) {
        const [left, right] = [phrase[at], phrase[at + distance]];
        if (!isIndexedWord(left) || !isIndexedWord(right)) continue;
        if (this.kernel.bitmaps.isEmpty(docs)) return docs;
        this.keepNear(docs, left, right, distance);
      }
    return docs;
  }

  /** Documents where `right` directly follows `left`. Those of each word are not asked for where pairs are stored. */
  private findAdjacent(left: string, right: string): Bitmap {
    const { kernel, view } = this;
    const { pool } = this.docs;
    const found = pool.empty();
    const isByWord = view.settings.proximityPrecision === 'byWord';
    let both: Bitmap | None | undefined;
    for (const segment of view.segments) {
      const rights = wordLocations(kernel, segment, right);
      for (const x of rights.length === 0 ? [] : wordLocations(kernel, segment, left))
        for (const y of rights) {
          if (isByWord && segment.orStoredAdjacent(found, x, y)) continue;
          both ??= pool.intersection(this.docs.ofWord(left), this.docs.ofWord(right));
          if (both !== 0) segment.orAdjacent(found, x, y, isByWord, both);
        }
    }
    if (both) pool.release(both);
    return found;
  }

  /** docs &= documents where `right` follows `left` within `distance` (1 to 3). */
  private keepNear(docs: Bitmap, left: string, right: string, distance: number): void {
    const { pool, near } = this.docs;
    const found = pool.empty();
    if (distance === 1) {
      const isStored = this.orStoredAdjacent(found, left, right);
      const [lefts, rights] = [left, right].map((word) => unstored(this.docs.occurrencesOf(word), isStored));
      near.orAdjacent(lefts!, rights!, docs, docs, found);
    } else {
      const third = distance === 2 ? pool.empty() : found;
      near.orNear(this.docs.occurrencesOf(left), this.docs.occurrencesOf(right), docs, docs, [found, found, third]);
      if (third !== found) pool.release(third);
    }
    this.kernel.bitmaps.and(docs, found);
    pool.release(found);
  }

  /** Adds the documents where `right` directly follows `left` of the segments that store all of them: returns which do. */
  private orStoredAdjacent(found: Bitmap, left: string, right: string): boolean[] {
    const { kernel, view } = this;
    return view.segments.map((segment) => {
      if (view.settings.proximityPrecision !== 'byWord') return false;
      const rights = wordLocations(kernel, segment, right);
      return wordLocations(kernel, segment, left).every((x) =>
        rights.every((y) => segment.orStoredAdjacent(found, x, y)),
      );
    });
  }
}

/** The occurrences in segments without stored documents. */
function unstored(occurrences: Occurrences, isStored: readonly boolean[]): Occurrences {
  if (!isStored.includes(true)) return occurrences;
  const lists = occurrences.lists.map((ofSegment, segment) => (isStored[segment] ? [] : ofSegment));
  return { key: `${occurrences.key} ${isStored.map(Number).join('')}`, lists, within: occurrences.within };
}
