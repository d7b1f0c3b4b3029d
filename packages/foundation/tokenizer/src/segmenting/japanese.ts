import { Dictionary, type SharedDictionary } from '../dictionaries/dictionary.js';
import { Lattice } from './lattice.js';
import { morphemesOf, readMorphemes } from './morpheme-file.js';

const morphemes = new Dictionary(
  'japanese',
  () => readMorphemes('japanese'),
  (tables) => new Lattice(morphemesOf(tables)),
);

/**
 * Cuts Japanese text with IPADIC, because no package ships the reference's UniDic. Returns UTF-16 lengths. Loads the
 * dictionary at its first call.
 */
export function segmentJapanese(piece: string): readonly number[] {
  return morphemes.get().cut(piece);
}

export function japaneseDictionary(): SharedDictionary {
  return morphemes;
}
