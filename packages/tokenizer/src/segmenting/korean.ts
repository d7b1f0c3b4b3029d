import { readKoreanDictionary } from './korean-dictionary.js';
import { Lattice } from './lattice.js';

let lattice: Lattice | undefined;

/**
 * Cuts Korean text over ko-dic: particles and endings become words of their own. Answers UTF-16 lengths. Loads the
 * dictionary at its first call.
 */
export function segmentKorean(piece: string): readonly number[] {
  lattice ??= new Lattice(readKoreanDictionary());
  return lattice.cut(piece);
}
