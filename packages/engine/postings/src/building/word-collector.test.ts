import type { DocId, LocalOrdinal } from '@fossick/base';
import { FieldNames } from '@fossick/documents';
import { createKernel, type Kernel } from '@fossick/kernel';
import { DEFAULT_SETTINGS, type IndexSettings } from '@fossick/settings';
import { createTokenizer, type Tokenizer } from '@fossick/tokenizer';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { WordCountTable } from '../bytes/word-counts.js';
import { FieldPlans, WordCollector } from './word-collector.js';

/** Words by table, each with the keys of its occurrences as `ordinal:key`. */
type Found = readonly Map<string, readonly string[]>[];

const PIECES = [
  'a',
  'the',
  'The',
  'war',
  'WAR',
  'Überfall',
  'über',
  'naïve',
  'naive',
  'œuvre',
  '42',
  '4.2',
  '3D',
  'x86',
  "rock'n'roll",
  'C++',
  'Ⅷ',
  '\u00a0',
  ' ',
  '  ',
  '. ',
  '.',
  ', ',
  ',',
  '; ',
  '-',
  '_',
  '\n',
  '…',
  '’',
  '”',
  '½',
  'Слово',
  '日本',
  'ﬁn',
  'a\u0301',
  'z'.repeat(260),
  '\u00ad',
  '\u202f',
  '7',
  '$',
  '™',
  '<b>',
  '２',
  '❤\ufe0f',
  'ъё',
];
const SYMBOLS = [
  '$',
  '$5',
  '5€',
  'x™',
  '©',
  '№',
  '→',
  '⇄',
  '★',
  '♥\ufe0f',
  '❤',
  '\ufe0e',
  '\u200d',
  '👍',
  '👍🏽',
  '🏽',
  '🇫',
  '🇷',
  '🇩🇪',
  '👨\u200d👩\u200d👧',
  '𝒳',
  'a',
  'the',
  'é',
  '7',
  '. ',
  '\u00a0',
  ',',
];
const text = fc.array(fc.constantFrom(...PIECES, ' ', ' '), { maxLength: 14 }).map((pieces) => pieces.join(''));

const symbolText = fc.array(fc.constantFrom(...SYMBOLS, ' '), { maxLength: 14 }).map((pieces) => pieces.join(''));

const OPTIONS = [
  {},
  { stopWords: ['the', 'über'] },
  { nonSeparatorTokens: [' ', '-', '.'] },
  { separatorTokens: ['x', '\u00a0'], dictionary: ['c++'] },
  { stopWords: ['$', '👍'], nonSeparatorTokens: ['™', '🇫'] },
  { separatorTokens: ['€', '★→', '👍👍'], dictionary: ['a$'] },
];

function settingsOf(disableOnNumbers: boolean): IndexSettings {
  return { ...DEFAULT_SETTINGS, typoTolerance: { ...DEFAULT_SETTINGS.typoTolerance, disableOnNumbers } };
}

/** The collector's output for documents of one field each, read back from the tables. */
function collect(kernel: Kernel, tokenizer: Tokenizer, settings: IndexSettings, texts: readonly string[][]): Found {
  const inverter = kernel.lists.createInverter();
  const plans = new FieldPlans(new FieldNames(['a']), settings);
  const collector = new WordCollector(inverter, tokenizer, plans, new WordCountTable(), settings);
  for (const [ordinal, a] of texts.entries()) collector.addDocument(ordinal as LocalOrdinal, { a });
  const found = ([0, 1] as const).map((table) => {
    const parts = inverter.table(table);
    const [dictionary, postings, offsets] = [parts.dictionary.slice(), parts.postings.slice(), parts.offsets.slice()];
    const at = kernel.dictionaries.load(dictionary);
    const words = new Map<string, readonly string[]>();
    kernel.dictionaries.wordsBetween(at, 0, parts.wordCount).forEach((word, i) => {
      words.set(word, occurrences(kernel, postings.subarray(offsets[i]!, offsets[i + 1]!), texts.length));
    });
    return words;
  });
  inverter.reset();
  return found;
}

function occurrences(kernel: Kernel, list: Uint8Array, docCount: number): string[] {
  const mark = kernel.memory.mark();
  const universe = kernel.bitmaps.create(docCount);
  for (let doc = 0 as DocId; doc < docCount; doc++) kernel.bitmaps.set(universe, doc);
  const table = kernel.tables.gather([{ ptr: kernel.lists.scratch(list), deleted: 0 }], universe);
  const words = kernel.tables.entries(table);
  kernel.memory.release(mark);
  return Array.from({ length: words.length / 2 }, (_, i) => `${words[2 * i + 1]}:${words[2 * i]}`);
}

/** The same by the tokenizer's visitWords. */
function expected(tokenizer: Tokenizer, splitsNumbers: boolean, texts: readonly string[][]): Found {
  const found = [new Map<string, string[]>(), new Map<string, string[]>()];
  texts.forEach((values, ordinal) => {
    let counter = 0;
    values.forEach((value, visit) => {
      if (visit > 0) counter += 8;
      if (value === '') return;
      counter = tokenizer.visitWords(value, counter, (lemma, position) => {
        const isNumeric = /^[\p{N}!-/:-@[-`{-~]+$/u.test(lemma) && /\p{N}/u.test(lemma);
        const words = found[splitsNumbers && isNumeric ? 1 : 0]!;
        const keys = words.get(lemma);
        if (keys === undefined) words.set(lemma, [`${ordinal}:${position}`]);
        else keys.push(`${ordinal}:${position}`);
      });
    });
  });
  return found.map((words) => new Map([...words].map(([word, keys]) => [word, [...new Set(keys)]])));
}

describe.each(['checked', 'fast'] as const)('word collector, %s kernel', (build) => {
  test.each(OPTIONS)('gives the words and positions of the tokenizer under %j', (options) => {
    const kernel = createKernel({ build });
    const tokenizer = createTokenizer(options);
    fc.assert(
      fc.property(fc.array(fc.array(text, { maxLength: 3 }), { maxLength: 5 }), fc.boolean(), (texts, splits) => {
        expect(collect(kernel, tokenizer, settingsOf(splits), texts)).toEqual(expected(tokenizer, splits, texts));
      }),
      { numRuns: 300 },
    );
  });

  test.each(OPTIONS)('gives those of texts with symbols under %j', (options) => {
    const kernel = createKernel({ build });
    const tokenizer = createTokenizer(options);
    fc.assert(
      fc.property(fc.array(fc.array(symbolText, { maxLength: 3 }), { maxLength: 5 }), fc.boolean(), (texts, splits) => {
        expect(collect(kernel, tokenizer, settingsOf(splits), texts)).toEqual(expected(tokenizer, splits, texts));
      }),
      { numRuns: 300 },
    );
  });

  test.each([
    'costs $5',
    'Nike™ and ©2020',
    '9.50 € or £8',
    'home → work ⇄ home',
    'rated ★★★★☆',
    'I ❤\ufe0f it',
    'fine 👍🏽 👨\u200d👩\u200d👧 🇩🇪',
    'so\u00adft hy\u00adphen',
    'ﬁne ＡＢＣ',
    '№ 5 of ①',
  ])('cuts %j in the kernel', (value) => {
    const kernel = createKernel({ build });
    const tokenizer = createTokenizer({});
    const refused = { ...tokenizer, units: { ...tokenizer.units, visitPlain: () => expect.unreachable() } };
    const settings = settingsOf(true);
    expect(collect(kernel, refused, settings, [[value]])).toEqual(expected(tokenizer, true, [[value]]));
  });

  test('stops where positions end', () => {
    const kernel = createKernel({ build });
    const tokenizer = createTokenizer({});
    const end = `${'w. '.repeat(8_191)}${'w '.repeat(7)}`;
    const texts = [
      [end, 'one two é three four'],
      ['one. '.repeat(9_000)],
      [end, '★ 👍 $one → two'],
      ['$one. '.repeat(9_000)],
    ];
    expect(collect(kernel, tokenizer, settingsOf(false), texts)).toEqual(expected(tokenizer, false, texts));
  });
});
