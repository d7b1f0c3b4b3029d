/**
 * The layout of a morphological dictionary in packages/foundation/tokenizer/dictionaries, numbers little-endian: a u32 for the length of each section, then the
 * sections, in the order of SECTIONS in packages/foundation/tokenizer/src/segmenting/morpheme-file.ts. The same input gives the same file.
 */
import { writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';

/**
 * Writes `packages/foundation/tokenizer/dictionaries/NAME.gz`.
 *
 * - `words`: `{ word: Buffer, entries: [{ left, right, cost }] }` in byte order of the words
 * - `unknownByKind`: entries of unknown words by number of the character kind
 * - `rightCount`, `leftCount`, `costOf(right, left)`: the costs of connections
 * - `kinds`: for each character of the basic plane 32 bits: kinds (18), main kind (8), 4, is grouped, is always; a row more is that of all others
 */
export function writeMorphemes(name, { words, unknownByKind, rightCount, leftCount, costOf, kinds }) {
  const pairs = new Map();
  const entries = words.flatMap((one) => one.entries);
  const unknown = unknownByKind.flat();
  const sections = [
    frontCoded(words.map(({ word }) => word)),
    Buffer.from(words.map((one) => one.entries.length)),
    u16s(entries.map((entry) => pairOf(pairs, entry))),
    u16s(entries.map(({ cost }) => cost & 0xffff)),
    Buffer.from(unknownByKind.map((list) => list.length)),
    u16s(unknown.map((entry) => pairOf(pairs, entry))),
    u16s(unknown.map(({ cost }) => cost & 0xffff)),
    u16s([...pairs.keys()].flatMap((key) => [key >>> 16, key & 0xffff])),
    ...connectionSections(rightCount, leftCount, costOf),
    kinds,
  ];
  const lengths = Buffer.alloc(sections.length * 4);
  sections.forEach((section, at) => lengths.writeUInt32LE(section.length, at * 4));
  const packed = gzipSync(Buffer.concat([lengths, ...sections]), { level: 9 });
  writeFileSync(new URL(`../../packages/foundation/tokenizer/dictionaries/${name}.gz`, import.meta.url), packed);
  console.log(`${words.length} words, ${entries.length} entries, ${pairs.size} pairs, ${packed.length} bytes`);
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
function pairOf(pairs, { left, right }) {
  const key = ((left << 16) | right) >>> 0;
  if (!pairs.has(key)) pairs.set(key, pairs.size);
  return pairs.get(key);
}

/** Sizes; the row of each right id; the rows, of which many are alike, each by left id. */
function connectionSections(rightCount, leftCount, costOf) {
  const rows = new Map();
  const numbers = Array.from({ length: rightCount }, (_, right) => {
    const row = u16s(Array.from({ length: leftCount }, (_, left) => costOf(right, left) & 0xffff));
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
