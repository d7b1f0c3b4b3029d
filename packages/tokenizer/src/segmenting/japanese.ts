import { readIpadic } from './ipadic.js';
import { Lattice } from './lattice.js';

let lattice: Lattice | undefined;

/**
 * Cuts Japanese text over IPADIC, as no package ships the reference's UniDic. Answers UTF-16
 * lengths. Loads the dictionary at its first call.
 */
export function segmentJapanese(piece: string): readonly number[] {
  lattice ??= new Lattice(readIpadic());
  return lattice.cut(piece);
}
