import { utf8Text } from '@fossick/base';
import { readOwnFile } from '../dictionaries/package-file.js';

/** Smaller bytes begin a word: the number of units it shares with the previous one. */
const FIRST_CHARACTER = 0x20;
const FIRST_THAI_BYTE = 0x81;
const THAI_OF_BYTE = 0x0e00 - 0x80;
const ELLIPSIS = 0x2026;

/**
 * PyThaiNLP's 62 055 Thai words, distinct and in order of their UTF-16 units. The file is front-coded, one byte for
 * each unit, as tools/data/make-thai-words.mjs writes it. O(total length).
 */
export function readThaiWords(): string[] {
  const bytes = readOwnFile('dictionaries/thai.gz');
  const words: string[] = [];
  let previous = '';
  for (let at = 0; at < bytes.length; ) {
    const shared = bytes[at++]!;
    const units: number[] = [];
    while (at < bytes.length && bytes[at]! >= FIRST_CHARACTER) units.push(unitOf(bytes[at++]!));
    previous = previous.slice(0, shared) + String.fromCharCode(...units);
    words.push(previous);
  }
  return words;
}

function unitOf(byte: number): number {
  if (byte < 0x80) return byte;
  return byte < FIRST_THAI_BYTE ? ELLIPSIS : byte + THAI_OF_BYTE;
}

/** ICU's 81 028 Khmer words, distinct and in order of their UTF-16 units. O(total length). */
export function readKhmerWords(): string[] {
  return utf8Text(readOwnFile('dictionaries/khmer.gz')).trimEnd().split('\n');
}
