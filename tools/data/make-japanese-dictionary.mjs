#!/usr/bin/env node
/**
 * Makes packages/foundation/tokenizer/dictionaries/japanese.gz from IPADIC as the registry package `@patdx/kuromoji` (npm, 1.0.4) packs it:
 *
 *   node tools/data/make-japanese-dictionary.mjs PATH/@patdx/kuromoji/dict
 *
 * What cutting has no use for (parts of speech, readings, the double array that words are found by there) is left out. The layout is described in
 * morpheme-sections.mjs.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { writeMorphemes } from './morpheme-sections.mjs';

const CHARACTER_COUNT = 0x10000;
const KIND_BITS = 18;
/** Left id, right id, cost, and four bytes of part of speech. */
const ENTRY_BYTES = 10;

const folder = process.argv[2];
if (folder === undefined) {
  console.error('usage: node tools/data/make-japanese-dictionary.mjs PATH/@patdx/kuromoji/dict');
  process.exit(2);
}
const int32s = (bytes) => new Int32Array(Uint8Array.from(bytes).buffer);
const [bases, checks] = [int32s(read('base')), int32s(read('check'))];
const connections = new Int16Array(Uint8Array.from(read('cc')).buffer);
const [rightCount, leftCount] = connections;
const entriesOf = tableReader('tid_map', 'tid');
const unknownEntriesOf = tableReader('unk_map', 'unk');
const kinds = readKinds(read('unk_invoke'));
writeMorphemes('japanese', {
  words: allWords().map(({ word, surface }) => ({ word, entries: entriesOf(surface) })),
  unknownByKind: kinds.map((_, kind) => unknownEntriesOf(kind)),
  rightCount,
  leftCount,
  costOf: (right, left) => connections[2 + right * leftCount + left],
  kinds: kindRows(),
});

function read(name) {
  return gunzipSync(readFileSync(join(folder, `${name}.dat.gz`)));
}

/** Words of the double array in byte order: state s goes by byte b to t = bases[s] + b when checks[t] is s, byte 0 ends a word. */
function allWords() {
  const children = new Map();
  checks.forEach((parent, state) => {
    if (state === 0 || parent < 0) return;
    const list = children.get(parent);
    if (list === undefined) children.set(parent, [state]);
    else list.push(state);
  });
  const found = [];
  const stack = [[0, Buffer.alloc(0)]];
  while (stack.length > 0) {
    const [state, prefix] = stack.pop();
    for (const next of children.get(state) ?? []) {
      const byte = next - bases[state];
      if (byte < 0 || byte > 0xff) continue;
      if (byte === 0) found.push({ word: prefix, surface: -bases[next] - 1 });
      else stack.push([next, Buffer.concat([prefix, Buffer.from([byte])])]);
    }
  }
  return found.sort((a, b) => Buffer.compare(a.word, b.word));
}

/** `map`: a count, then for each surface its number, how many entries it has, and their offsets in `rows`. */
function tableReader(mapName, rowsName) {
  const map = int32s(read(mapName));
  const rows = read(rowsName);
  const places = new Map();
  for (let left = map[0], at = 1; left > 0; left--, at += 2 + map[at + 1]) places.set(map[at], at + 1);
  return (surface) => {
    const place = places.get(surface);
    if (place === undefined) return [];
    return Array.from(map.subarray(place + 1, place + 1 + map[place]), (row) => {
      if (row % ENTRY_BYTES !== 0) throw new Error('entries are not rows of 10 bytes');
      return { left: rows.readUInt16LE(row), right: rows.readUInt16LE(row + 2), cost: rows.readInt16LE(row + 4) };
    });
  };
}

/** A row: two flags of a byte, a length of 4, and a name ended by 0. */
function readKinds(bytes) {
  const found = [];
  for (let at = 0; at + 6 < bytes.length && bytes[at + 6] !== 0; at = bytes.indexOf(0, at + 6) + 1)
    found.push({ isAlways: bytes[at] === 1, isGrouped: bytes[at + 1] === 1 });
  return found;
}

/**
 * One row after the last character is for all characters outside the plane: the kind 0, which is no character's main
 * kind here.
 */
function kindRows() {
  const [mainKinds, others] = [read('unk_char'), read('unk_compat')];
  const rows = Buffer.alloc((CHARACTER_COUNT + 1) * 4);
  const mains = new Set([0]);
  for (let code = 0; code <= CHARACTER_COUNT; code++) {
    const main = code < CHARACTER_COUNT ? mainKinds[code] : 0;
    const mask = code < CHARACTER_COUNT ? others.readUInt32LE(code * 4) : 0;
    if (mask >>> KIND_BITS !== 0) throw new Error(`more than ${KIND_BITS} kinds`);
    mains.add(main);
    const flags = (kinds[main].isGrouped ? 2 ** 30 : 0) + (kinds[main].isAlways ? 2 ** 31 : 0);
    rows.writeUInt32LE(mask + main * 2 ** KIND_BITS + flags, code * 4);
  }
  if (mains.size !== kinds.length) throw new Error('a kind is the main one of no character: its flags would be lost');
  return rows;
}
