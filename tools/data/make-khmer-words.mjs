#!/usr/bin/env node
/**
 * Makes packages/foundation/tokenizer/dictionaries/khmer.gz from ICU's break dictionary, out of the data file of the registry package `icu4c-data` (npm,
 * 0.67.2):
 *
 *   node tools/data/make-khmer-words.mjs PATH/icu4c-data/icudt67l.dat
 *
 * A word a line, in order of UTF-16 units. The same input gives the same file.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';

const NAME = '/brkitr/khmerdict.dict';
const HEADER_MAGIC = 0x27da;
const TRIE_TYPE_MASK = 7;
const TRANSFORM_BY_OFFSET = 0x1;
/** Bytes for zero-width joiner and non-joiner, which are outside the transformed range. */
const BYTE_OF_JOINER = 0xff;
const BYTE_OF_NON_JOINER = 0xfe;

/** Lead bytes of a BytesTrie (ICU's bytestrie.h): below are branches, then matches, then values. */
const FIRST_MATCH_LEAD = 0x10;
const FIRST_VALUE_LEAD = 0x20;
const LINEAR_BRANCH_MAX = 5;

const source = process.argv[2];
if (source === undefined) {
  console.error('usage: node tools/data/make-khmer-words.mjs PATH/icu4c-data/icudt67l.dat');
  process.exit(2);
}

/** Lists the keys of a serialised BytesTrie. */
class BytesTrie {
  #at = 0;
  #bytes;
  #found;

  constructor(bytes, found) {
    this.#bytes = bytes;
    this.#found = found;
  }

  visit(start, key) {
    let path = key;
    this.#at = start;
    for (;;) {
      const lead = this.#bytes[this.#at++];
      if (lead < FIRST_MATCH_LEAD) {
        const length = (lead === 0 ? this.#bytes[this.#at++] : lead) + 1;
        this.#visitBranch(this.#at, length, path);
        return;
      }
      if (lead < FIRST_VALUE_LEAD) {
        const end = this.#at + lead - FIRST_MATCH_LEAD + 1;
        path = [...path, ...this.#bytes.subarray(this.#at, end)];
        this.#at = end;
        continue;
      }
      this.#found(path);
      if ((lead & 1) !== 0) return;
      this.#readValue(lead);
    }
  }

  /** A binary search over the next byte that ends in a short list of bytes, the last of which continues directly. */
  #visitBranch(start, length, key) {
    this.#at = start;
    if (length > LINEAR_BRANCH_MAX) {
      this.#at++;
      const delta = this.#readDelta();
      const upper = this.#at;
      this.#visitBranch(upper + delta, length >> 1, key);
      this.#visitBranch(upper, length - (length >> 1), key);
      return;
    }
    for (let left = length; left > 1; left--) {
      const path = [...key, this.#bytes[this.#at++]];
      const lead = this.#bytes[this.#at++];
      const value = this.#readValue(lead);
      const next = this.#at;
      if ((lead & 1) !== 0) this.#found(path);
      else this.visit(next + value, path);
      this.#at = next;
    }
    const last = this.#bytes[this.#at];
    this.visit(this.#at + 1, [...key, last]);
  }

  #readValue(lead) {
    const kind = lead >> 1;
    if (kind < 0x51) return kind - 0x10;
    if (kind < 0x6c) return ((kind - 0x51) << 8) | this.#readBytes(1);
    if (kind < 0x7e) return ((kind - 0x6c) << 16) | this.#readBytes(2);
    return this.#readBytes(kind === 0x7e ? 3 : 4);
  }

  #readDelta() {
    const lead = this.#bytes[this.#at++];
    if (lead < 0xc0) return lead;
    if (lead < 0xf0) return ((lead - 0xc0) << 8) | this.#readBytes(1);
    if (lead < 0xfe) return ((lead - 0xf0) << 16) | this.#readBytes(2);
    return this.#readBytes(lead === 0xfe ? 3 : 4);
  }

  #readBytes(count) {
    const value = this.#bytes.readUIntBE(this.#at, count);
    this.#at += count;
    return value;
  }
}

const { bytes, transform } = readDictionary(readFileSync(source));
const base = transform & 0x1fffff;
const words = [];
new BytesTrie(bytes, (key) => words.push(String.fromCharCode(...key.map(unitOf)))).visit(0, []);
const target = new URL('../../packages/foundation/tokenizer/dictionaries/khmer.gz', import.meta.url);
writeFileSync(target, gzipSync(Buffer.from(`${words.sort().join('\n')}\n`), { level: 9 }));
console.log(`${words.length} words`);

function unitOf(byte) {
  if (byte === BYTE_OF_JOINER) return 0x200d;
  return byte === BYTE_OF_NON_JOINER ? 0x200c : base + byte;
}

/** The file is a table of contents (count, then pairs of name and data offset) and the items it names. */
function readDictionary(file) {
  const contents = skipHeader(file, 0);
  const count = file.readUInt32LE(contents);
  for (let item = 0; item < count; item++) {
    const entry = contents + 4 + item * 8;
    const nameStart = contents + file.readUInt32LE(entry);
    if (!file.toString('latin1', nameStart, file.indexOf(0, nameStart)).endsWith(NAME)) continue;
    const start = contents + file.readUInt32LE(entry + 4);
    // items are stored in the order of the contents, so this one ends where the next begins
    const end = item + 1 < count ? contents + file.readUInt32LE(entry + 12) : file.length;
    return cutDictionary(file.subarray(start, end));
  }
  throw new Error(`no ${NAME} in the ICU data`);
}

function cutDictionary(item) {
  const indexes = skipHeader(item, 0);
  const [trieOffset, totalBytes, type, transform] = [0, 3, 4, 5].map((index) => item.readInt32LE(indexes + index * 4));
  if ((type & TRIE_TYPE_MASK) !== 0 || transform >>> 24 !== TRANSFORM_BY_OFFSET) throw new Error('not a dictionary of bytes');
  return { bytes: item.subarray(indexes + trieOffset, indexes + totalBytes), transform };
}

function skipHeader(file, at) {
  if (file.readUInt16LE(at + 2) !== HEADER_MAGIC) throw new Error('not ICU data');
  return at + file.readUInt16LE(at);
}
