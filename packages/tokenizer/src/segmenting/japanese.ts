import { Lattice } from './lattice.js';
import { readMorphemes } from './morpheme-file.js';

let lattice: Lattice | undefined;

/**
 * Cuts Japanese text over IPADIC, as no package ships the reference's UniDic. Answers UTF-16
 * lengths. Loads the dictionary at its first call.
 */
export function segmentJapanese(piece: string): readonly number[] {
  lattice ??= new Lattice(readMorphemes('japanese'));
  return lattice.cut(piece);
}
