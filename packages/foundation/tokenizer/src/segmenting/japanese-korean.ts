import { Dictionary, type SharedDictionary } from '../dictionaries/dictionary.js';
import { Lattice } from './lattice.js';
import { morphemesOf, readMorphemes } from './morpheme-file.js';

const morphemesIn = (language: 'japanese' | 'korean') =>
  new Dictionary(
    language,
    () => readMorphemes(language),
    (tables) => new Lattice(morphemesOf(tables)),
  );
const japanese = morphemesIn('japanese');
const korean = morphemesIn('korean');

/**
 * Cuts Japanese text with IPADIC, because no package ships the reference's UniDic. Returns UTF-16 lengths. Loads the
 * dictionary at its first call.
 */
export function segmentJapanese(piece: string): readonly number[] {
  return japanese.get().cut(piece);
}

/** The same for Korean, with ko-dic: particles and endings become words of their own. */
export function segmentKorean(piece: string): readonly number[] {
  return korean.get().cut(piece);
}

export function japaneseDictionary(): SharedDictionary {
  return japanese;
}

export function koreanDictionary(): SharedDictionary {
  return korean;
}
