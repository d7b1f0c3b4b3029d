#!/usr/bin/env node
/**
 * Makes packages/foundation/tokenizer/dictionaries/chinese.gz from jieba's dictionary, `dict.txt` of the registry package `@node-rs/jieba` (npm, 2.0.3):
 *
 *   node tools/data/make-chinese-words.mjs PATH/@node-rs/jieba/dict.txt
 *
 * A line `word frequency` each, in the order of the source, which is that of UTF-16 units; tags are left out. The same input gives the same
 * file.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';

const source = process.argv[2];
if (source === undefined) {
  console.error('usage: node tools/data/make-chinese-words.mjs PATH/@node-rs/jieba/dict.txt');
  process.exit(2);
}
const lines = readFileSync(source, 'utf8').trimEnd().split('\n');
const rows = lines.map((line) => line.split(' ').slice(0, 2).join(' '));
const target = new URL('../../packages/foundation/tokenizer/dictionaries/chinese.gz', import.meta.url);
writeFileSync(target, gzipSync(Buffer.from(`${rows.join('\n')}\n`), { level: 9 }));
console.log(`${rows.length} words`);
