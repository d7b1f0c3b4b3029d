/** The oracle's index: plain documents cut into words, nothing precomputed. */
import type { IndexSettings } from '@fossick/settings';
import { createTokenizer, type Tokenizer } from '@fossick/tokenizer';

/** A document of the oracle: texts, lists of texts, numbers; no nesting. */
export type PlainDocument = Readonly<Record<string, string | number | readonly string[]>>;

export interface Occurrence {
  readonly word: string;
  readonly field: string;
  readonly position: number;
  /** Whether it is in a field without typo tolerance. */
  readonly isStrict: boolean;
}

interface CutDocument {
  readonly occurrences: readonly Occurrence[];
  /** Each text with all its words, stop words among them. */
  readonly texts: readonly {
    readonly field: string;
    readonly words: readonly { readonly word: string; readonly position: number }[];
  }[];
  /** Number of indexed words by field. */
  readonly counts: ReadonlyMap<string, number>;
}

export interface PlainIndex {
  readonly settings: IndexSettings;
  readonly tokenizer: Tokenizer;
  readonly documents: readonly PlainDocument[];
  readonly cut: readonly CutDocument[];
  /** Names of all fields, in the order of their first occurrence. */
  readonly fields: readonly string[];
  /** Words of fields with typo tolerance; and all words. Both in byte order. */
  readonly fuzzyWords: readonly string[];
  readonly allWords: readonly string[];
  /** Position of a field in searchableAttributes; 0 for all of `*`, -1 when it is not searchable. */
  readonly weightOf: (field: string) => number;
}

const inByteOrder = (words: Iterable<string>): string[] =>
  [...new Set(words)].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));

export function plainIndex(documents: readonly PlainDocument[], settings: IndexSettings): PlainIndex {
  const tokenizer = createTokenizer({ stopWords: settings.stopWords });
  const isEverything = settings.searchableAttributes.includes('*');
  const weightOf = (field: string): number => (isEverything ? 0 : settings.searchableAttributes.indexOf(field));
  const cut = documents.map((document) => cutDocument(document, settings, tokenizer, weightOf));
  const occurrences = cut.flatMap((document) => document.occurrences);
  return {
    settings,
    tokenizer,
    documents,
    cut,
    fields: [...new Set(documents.flatMap((document) => Object.keys(document)))],
    fuzzyWords: inByteOrder(occurrences.filter(({ isStrict }) => !isStrict).map(({ word }) => word)),
    allWords: inByteOrder(occurrences.map(({ word }) => word)),
    weightOf,
  };
}

function cutDocument(
  document: PlainDocument,
  settings: IndexSettings,
  tokenizer: Tokenizer,
  weightOf: (field: string) => number,
): CutDocument {
  const occurrences: Occurrence[] = [];
  const cutTexts: { field: string; words: { word: string; position: number }[] }[] = [];
  const counts = new Map<string, number>();
  for (const [field, value] of Object.entries(document)) {
    if (weightOf(field) < 0) continue;
    let counter = -8;
    const isStrict = settings.typoTolerance.disableOnAttributes.includes(field);
    const texts = typeof value === 'object' ? value : [String(value)];
    const before = occurrences.length;
    for (const text of texts) {
      counter += 8;
      let position = counter;
      const words: { word: string; position: number }[] = [];
      cutTexts.push({ field, words });
      let previous: 'none' | 'near' | 'far' | 'word' = 'none';
      for (const { kind, lemma } of tokenizer.tokenize(text)) {
        if (kind === 'softSeparator' || kind === 'hardSeparator') {
          if (previous === 'none') continue;
          if (kind === 'hardSeparator') previous = 'far';
          else if (previous !== 'far') previous = 'near';
        } else if (kind === 'symbol') occurrences.push({ word: lemma, field, position, isStrict });
        else if (lemma !== '') {
          if (previous !== 'none') position += previous === 'far' ? 8 : 1;
          previous = 'word';
          words.push({ word: lemma, position });
          if (kind === 'stopWord') continue;
          occurrences.push({ word: lemma, field, position, isStrict });
          counter = position;
        }
      }
    }
    counts.set(field, occurrences.length - before);
  }
  return { occurrences, texts: cutTexts, counts };
}

/** A word as it is searched for by a part of it: only in attributes of the setting `substringAttributes`. */
export const withinWord = (word: string): string => `\0${word}`;

/** Whether an occurrence is one of a word, which may be searched for by a part of it. */
export function isOccurrenceOf(index: PlainIndex, { word, field }: Occurrence, wanted: string): boolean {
  return word === wanted || (withinWord(word) === wanted && index.settings.substringAttributes.includes(field));
}

/** Documents (by position) where `test` holds for some occurrence. */
export function docsWhere(index: PlainIndex, test: (occurrence: Occurrence) => boolean): Set<number> {
  const found = new Set<number>();
  index.cut.forEach(({ occurrences }, doc) => {
    if (occurrences.some(test)) found.add(doc);
  });
  return found;
}

/** The least distance 1..3 from a `left` to a later `right` in one field; by attribute, 1 in a shared field; else null. */
export function nearness(index: PlainIndex, doc: number, left: string, right: string): number | null {
  const isByWord = index.settings.proximityPrecision === 'byWord';
  let least: number | null = null;
  for (const a of index.cut[doc]!.occurrences) {
    if (!isOccurrenceOf(index, a, left)) continue;
    for (const b of index.cut[doc]!.occurrences) {
      if (!isOccurrenceOf(index, b, right) || a.field !== b.field) continue;
      if (!isByWord) return 1;
      const distance = b.position - a.position;
      if (distance >= 1 && distance <= 3 && (least === null || distance < least)) least = distance;
    }
  }
  return least;
}

/** The stored form of a position: p < 16 as it is, 16..23 as 24, else the next power of two. */
export function storedPosition(position: number): number {
  if (position < 16) return position;
  if (position < 24) return 24;
  return 2 ** Math.ceil(Math.log2(position));
}
