import { Dictionary, type SharedDictionary } from '../dictionaries/dictionary.js';
import { Lattice } from './lattice.js';
import { morphemesOf, readMorphemes } from './morpheme-file.js';

const morphemes = new Dictionary(
  'korean',
  () => readMorphemes('korean'),
  (tables) => new Lattice(morphemesOf(tables)),
);

/**
 * Cuts Korean text with ko-dic: particles and endings become words of their own. Returns UTF-16 lengths. Loads the
 * dictionary at its first call.
 */
export function segmentKorean(piece: string): readonly number[] {
  return morphemes.get().cut(piece);
}

export function koreanDictionary(): SharedDictionary {
  return morphemes;
}
