// Writes a store, changes one byte of its list of free pages while it is open, as a failing disk would, and continues
// to write. Prints the result as one line of JSON. Arguments: the built package, the folder, which byte of the list,
// its change.
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';

const [, , packageFile, folder, place, change] = process.argv;
const { openLmdbStore } = await import(packageFile);
const PAGE_BYTES = 4096;
const HEADER_BYTES = 24;
const file = join(folder, 'data.mdb');
const store = openLmdbStore({ folder });

function write(round) {
  store.transaction((txn) => {
    for (let i = 0; i < 60; i++)
      txn.put('rows', Buffer.from([round & 3, i]), Buffer.alloc(200 + ((i * 7919 + round * 31) % 6000), round));
  });
}

/** Offsets of the bytes of the list of free pages in the file; its tree has one page here. */
function freeListBytes() {
  const bytes = readFileSync(file);
  const commitAt = (head) => bytes.readBigUInt64LE(head * PAGE_BYTES + HEADER_BYTES + 128);
  const head = (commitAt(0) > commitAt(1) ? 0 : PAGE_BYTES) + HEADER_BYTES;
  if (bytes.readUInt16LE(head + 30) !== 1) throw new Error('the tree of free pages has not one page');
  const leaf = Number(bytes.readBigUInt64LE(head + 64)) * PAGE_BYTES;
  const places = [];
  for (let pointer = 0; pointer < bytes.readUInt16LE(leaf + 20); pointer += 2) {
    const node = leaf + HEADER_BYTES + bytes.readUInt16LE(leaf + HEADER_BYTES + pointer);
    const value = node + 8 + bytes.readUInt16LE(node + 6);
    for (let at = 0; at < bytes.readUInt32LE(node); at++) places.push(value + at);
  }
  return places;
}

for (let round = 0; round < 12; round++) write(round);
store.transaction((txn) => {
  for (let i = 0; i < 50; i++) txn.delete('rows', Buffer.from([1, i]));
});
const places = freeListBytes();
const at = places[Math.floor(Number(place) * places.length)];
const descriptor = openSync(file, 'r+');
writeSync(descriptor, Uint8Array.of(readFileSync(file)[at] ^ Number(change)), 0, 1, at);
closeSync(descriptor);
let reported = {};
try {
  for (let round = 20; round < 26; round++) write(round);
} catch (error) {
  reported = { code: error.code, message: error.message };
}
process.stdout.write(`${JSON.stringify(reported)}\n`);
process.exit(0);
