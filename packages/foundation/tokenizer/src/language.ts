import type { Script } from './data/script-ranges.js';
import { loadPackage } from './dictionaries/package-file.js';
import { countCj } from './script.js';

/** The languages that some step of the pipeline treats specially; any other locale is `elsewhere`. */
export type Language = 'swe' | 'deu' | 'cmn' | 'jpn' | 'kor' | 'ara' | 'pes' | 'elsewhere';

const LANGUAGES: ReadonlyMap<string, Language> = new Map([
  ['swe', 'swe'],
  ['sv', 'swe'],
  ['deu', 'deu'],
  ['de', 'deu'],
  ['cmn', 'cmn'],
  ['zho', 'cmn'],
  ['zh', 'cmn'],
  ['jpn', 'jpn'],
  ['ja', 'jpn'],
  ['kor', 'kor'],
  ['ko', 'kor'],
  ['ara', 'ara'],
  ['ar', 'ara'],
  ['pes', 'pes'],
  ['fa', 'pes'],
  ['fas', 'pes'],
]);
/** Codes of languages for which franc uses the code of their main member. */
const FRANC_CODES: ReadonlyMap<string, string> = new Map([
  ['ara', 'arb'],
  ['aze', 'azj'],
  ['est', 'ekk'],
  ['lav', 'lvs'],
  ['uzb', 'uzn'],
  ['de', 'deu'],
  ['sv', 'swe'],
  ['ar', 'arb'],
  ['fa', 'pes'],
  ['fas', 'pes'],
]);
/** Letters that distinguish German and Swedish from most others, with the languages that use them. */
const LETTER_USERS: readonly (readonly [RegExp, ReadonlySet<string>])[] = [
  [/å/i, new Set(['swe', 'dan', 'nob', 'fin'])],
  [/ä/i, new Set(['swe', 'deu', 'fin', 'ekk', 'slk', 'tuk'])],
  [/ö/i, new Set(['swe', 'deu', 'fin', 'ekk', 'hun', 'tur', 'azj', 'tuk'])],
  [/ü/i, new Set(['deu', 'ekk', 'hun', 'tur', 'azj', 'tuk', 'spa', 'cat', 'fra'])],
  [/ß/, new Set(['deu'])],
];
/** The used part of franc. Its profiles take 20 MB, so it is loaded when a language is first detected. */
interface Franc {
  francAll(text: string, options: { readonly only: readonly string[]; readonly minLength: number }): [string, number][];
}
let franc: Franc | undefined;

const KANA_SHARE_OF_JAPANESE = 0.05;

/** An allow-list of languages. `only`: the list has a single language, so nothing is detected. */
export interface AllowList {
  readonly only: Language | undefined;
  readonly languages: ReadonlySet<Language>;
  /** The list as codes of the detector. */
  readonly codes: readonly string[];
}

/** Undefined when there is no list, or an empty one. */
export function allowListOf(locales: readonly string[] | undefined): AllowList | undefined {
  if (locales === undefined || locales.length === 0) return undefined;
  const lower = locales.map((locale) => locale.toLowerCase());
  const languages = lower.map((locale) => LANGUAGES.get(locale) ?? 'elsewhere');
  const isSingle = new Set(languages).size === 1 && (locales.length === 1 || languages[0] !== 'elsewhere');
  return {
    only: isSingle ? languages[0] : undefined,
    languages: new Set(languages),
    codes: [...new Set(lower.map((locale) => FRANC_CODES.get(locale) ?? locale))],
  };
}

/** Whether a list has a language with rules of its own for Latin text. */
export function hasOwnLatin(allowed: AllowList | undefined): boolean {
  return allowed !== undefined && (allowed.languages.has('swe') || allowed.languages.has('deu'));
}

/**
 * The language of a group, undefined when none is detected. Where the list leaves a choice, letters and their trigrams
 * decide. O(length) for the scripts with several segmenters, O(1) for the others.
 */
export function detectLanguage(
  text: string,
  start: number,
  end: number,
  script: Script,
  allowed: AllowList | undefined,
): Language | undefined {
  if (script !== 'latin' && script !== 'cj') return undefined;
  if (allowed?.only !== undefined) return allowed.only;
  if (script === 'cj') return detectCj(text, start, end, allowed);
  const group = text.slice(start, end);
  return hasOwnLatin(allowed) ? detectByTrigrams(group, writersOf(group, allowed!.codes)) : undefined;
}

/** The languages that use all letters of the text; all of the given ones when none does. */
function writersOf(text: string, codes: readonly string[]): readonly string[] {
  const composed = text.normalize('NFC');
  const users = LETTER_USERS.filter(([letter]) => letter.test(composed)).map(([, languages]) => languages);
  const writers = codes.filter((code) => users.every((languages) => languages.has(code)));
  return writers.length > 0 ? writers : codes;
}

function detectByTrigrams(text: string, codes: readonly string[]): Language | undefined {
  if (codes.length === 0) return undefined;
  franc ??= loadPackage('franc') as Franc;
  const [best] = franc.francAll(text, { only: codes, minLength: 1 });
  return best === undefined ? undefined : LANGUAGES.get(best[0]);
}

function detectCj(text: string, start: number, end: number, allowed: AllowList | undefined): Language {
  if (allowed !== undefined && !allowed.languages.has('cmn')) return 'jpn';
  const { han, hiragana, katakana } = countCj(text, start, end);
  const kana = hiragana + katakana;
  if (hiragana > han || katakana > han) return 'jpn';
  return kana > KANA_SHARE_OF_JAPANESE * (kana + han) ? 'jpn' : 'cmn';
}
