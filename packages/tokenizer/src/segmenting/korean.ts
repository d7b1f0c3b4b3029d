import { Lattice } from './lattice.js';
import { readMorphemes } from './morpheme-file.js';

let lattice: Lattice | undefined;

/**
 * Cuts Korean text over ko-dic: particles and endings become words of their own. Answers UTF-16 lengths. Loads the
 * dictionary at its first call.
 */
export function segmentKorean(piece: string): readonly number[] {
  lattice ??= new Lattice(readMorphemes('korean'));
  return lattice.cut(piece);
}
