import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseQueryText } from '../ranking/keyword-query.js';
import { openScratchIndex, type ScratchIndex } from '../scratch-index.test-support.js';
import { Lexicon } from './lexicon.js';
import type { QueryTerm } from './query-term.js';
import { buildSynonyms } from './synonyms.js';
import { expandTerms } from './term-expansion.js';
import { typoRules } from './typo-rules.js';

/** Many of their pairs joined are the same word. */
const WORDS = ['a', 'b', 'ab', 'ba', 'aba', 'bab', 'abb'];
const FIELDS = ['title', 'body'] as const;
/** With this many documents common pairs are cached (packages/engine/postings/src/reading/adjacent-pairs.ts). */
const MANY_DOCS = 6_000;

interface Text {
  readonly id: number;
  readonly title: string;
  readonly body: string;
}

const word = fc.constantFrom(...WORDS);
/** Rare compared with `a` and `ab`, so that lists of each length meet. */
const text = fc
  .array(fc.oneof({ weight: 3, arbitrary: fc.constantFrom('a', 'ab') }, { weight: 2, arbitrary: word }), {
    minLength: 1,
    maxLength: 8,
  })
  .map((words) => words.join(' '));
const shape = fc.record({
  docCount: fc.constantFrom(5, 60, MANY_DOCS),
  isByWord: fc.boolean(),
  texts: fc.array(text, { minLength: 30, maxLength: 60 }),
  replacedShare: fc.integer({ min: 2, max: 9 }),
  queries: fc.array(fc.array(word, { minLength: 2, maxLength: 6 }), { minLength: 12, maxLength: 12 }),
});

/** The documents where `right` follows `left` in a field, or where both are in one. */
function pairCount(documents: Iterable<Text>, left: string, right: string, isByWord: boolean): number {
  const isMet = (words: readonly string[]): boolean =>
    isByWord
      ? words.some((each, at) => each === left && words[at + 1] === right)
      : words.includes(left) && words.includes(right);
  return [...documents].filter((each) => FIELDS.some((field) => isMet(each[field].split(' ')))).length;
}

function splitOf(documents: readonly Text[], term: QueryTerm, isByWord: boolean): readonly string[] | null {
  let best: readonly [string, string] | null = null;
  let most = 0;
  for (let at = 1; at < term.text.length; at++) {
    const [left, right] = [term.text.slice(0, at), term.text.slice(at)];
    const count = WORDS.includes(left) && WORDS.includes(right) ? pairCount(documents, left, right, isByWord) : 0;
    if (count > most) [best, most] = [[left, right], count];
  }
  return term.kind === 'ngram' && term.phrase.length === 2 && best?.[0] === term.phrase[0] ? null : best;
}

function termsOf(index: ScratchIndex, q: string): readonly QueryTerm[] {
  return index.inView((view) =>
    expandTerms(parseQueryText(view, q, { locales: undefined, maxTerms: null }), {
      view,
      lexicon: new Lexicon(view),
      synonyms: buildSynonyms(view),
      typos: typoRules(view, null),
    }).map((term) => {
      // looked up while the view is open
      const mistyped = term.expansions.loadMistyped();
      return { ...term, expansions: { ...term.expansions, loadMistyped: () => mistyped } };
    }),
  );
}

test('a word is split where most documents have both words side by side, in one segment or several, while documents change', async () => {
  const property = fc.asyncProperty(shape, async ({ docCount, isByWord, texts, replacedShare, queries }) => {
    // every other time backwards, so that other pairs are the best ones
    const textAt = (at: number, round: number): string => {
      const found = texts[at % texts.length]!;
      return round % 2 === 0 ? found : found.split(' ').reverse().join(' ');
    };
    const documentAt = (id: number, round: number): Text => ({
      id,
      title: textAt(id * 7 + round, round),
      body: textAt(id * 11 + (id >> 5), round),
    });
    const ids = Array.from({ length: docCount }, (_, id) => id);
    const documents = new Map<number, Text>();
    const index = await openScratchIndex([], {
      searchableAttributes: [...FIELDS],
      proximityPrecision: isByWord ? 'byWord' : 'byAttribute',
    });
    const put = async (batch: readonly Text[]): Promise<void> => {
      for (const each of batch) documents.set(each.id, each);
      await index.add(batch);
    };
    try {
      await put(ids.map((id) => documentAt(id, 0)));
      for (const round of [1, 2, 3]) {
        for (const words of queries) {
          // the words as they are, joined in twos, and joined as one
          const joined = words.flatMap((each, at) => (at % 2 === 1 ? [words[at - 1]! + each] : []));
          for (const q of [words.slice(0, 3).join(' '), joined.join(' ')])
            for (const term of termsOf(index, q))
              expect([q, term.text, term.expansions.loadMistyped().split]).toEqual([
                q,
                term.text,
                splitOf([...documents.values()], term, isByWord),
              ]);
        }
        const replaced = ids.filter((id) => id === 0 || id % replacedShare === round % 2);
        await put(replaced.map((id) => documentAt(id, round)));
      }
    } finally {
      await index.close();
    }
  });
  await fc.assert(property, { numRuns: 8 });
}, 120_000);
