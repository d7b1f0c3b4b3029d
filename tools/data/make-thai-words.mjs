#!/usr/bin/env node
/**
 * Makes packages/foundation/tokenizer/dictionaries/thai.gz from PyThaiNLP's list of Thai words (see the README next to that file):
 *
 *   node tools/data/make-thai-words.mjs PATH/words_th.txt
 *
 * Front-coded and deflated: each word, in order of its UTF-16 units, is a byte below 0x20 that says how many units it
 * shares with the word before, then the rest at one byte a unit. The same input gives the same file.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';

const SHARED_MAX = 0x1f;
const THAI_FIRST = 0x0e00;
const ELLIPSIS = 0x2026;

const source = process.argv[2];
if (source === undefined) {
  console.error('usage: node tools/data/make-thai-words.mjs PATH/words_th.txt');
  process.exit(2);
}
const lines = readFileSync(source, 'utf8').split('\n');
const words = [...new Set(lines.map((line) => line.trim()).filter((line) => line !== ''))].sort();
const bytes = [];
let previous = '';
for (const word of words) {
  let shared = 0;
  while (shared < SHARED_MAX && shared < previous.length && word[shared] === previous[shared]) shared++;
  bytes.push(shared, ...Array.from({ length: word.length - shared }, (_, at) => byteOf(word.charCodeAt(shared + at))));
  previous = word;
}
const target = new URL('../../packages/foundation/tokenizer/dictionaries/thai.gz', import.meta.url);
writeFileSync(target, gzipSync(Buffer.from(bytes), { level: 9 }));
console.log(`${words.length} words`);

/** Printable ASCII is itself, Thai the upper half; 0x80, where Thai has no character, is the ellipsis of two entries. */
function byteOf(unit) {
  if (unit >= 0x20 && unit < 0x7f) return unit;
  if (unit > THAI_FIRST && unit < THAI_FIRST + 0x80) return unit - THAI_FIRST + 0x80;
  if (unit === ELLIPSIS) return 0x80;
  throw new Error(`no byte for U+${unit.toString(16)}`);
}
