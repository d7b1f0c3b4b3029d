import { type CharacterKind, type MorphemeDictionary, type MorphemeTable, visitStates } from './morphemes.js';
import { readPackageFile } from './package-file.js';

const ENTRY_BYTES = 10;
const KIND_BITS = 32;

/**
 * IPADIC as kuromoji packs it (392 000 entries; 9 MB packed, 25 MB of memory). Throws RangeError when the files are of
 * another layout. O(size).
 */
export function readIpadic(): MorphemeDictionary {
  const words = { bases: int32s(read('base')), checks: int32s(read('check')) };
  const connections = int16s(read('cc'));
  const width = connections[1]!;
  if (connections.length !== connections[0]! * width + 2) throw new RangeError('not a table of connection costs');
  const mainKinds = read('unk_char');
  const otherKinds = read('unk_compat');
  const kinds = readKinds(read('unk_invoke'));
  return {
    visitWords: (bytes, start, found) => visitStates(words, bytes, start, found),
    words: readTable(read('tid_map'), read('tid')),
    unknown: readTable(read('unk_map'), read('unk')),
    kinds,
    // A character outside the basic plane has no row of its own.
    kindsOf: memoize((code) => {
      if (code > 0xffff) return [0];
      const found = [mainKinds[code]!];
      const others = otherKinds.readUInt32LE(code * 4);
      for (let kind = 0; kind < KIND_BITS; kind++) if (((others >>> kind) & 1) !== 0) found.push(kind);
      return found;
    }),
    connections: connections.subarray(2),
    width,
  };
}

function read(name: string): Buffer {
  return readPackageFile('@patdx/kuromoji', `dict/${name}.dat.gz`);
}

/** The bytes as numbers, in place where they are aligned: unpacked files are, and a copy would double 17 MB. */
function int32s(bytes: Buffer): Int32Array {
  if (bytes.byteOffset % 4 === 0) return new Int32Array(bytes.buffer, bytes.byteOffset, bytes.length >> 2);
  return new Int32Array(Uint8Array.from(bytes).buffer);
}

function int16s(bytes: Buffer): Int16Array {
  if (bytes.byteOffset % 2 === 0) return new Int16Array(bytes.buffer, bytes.byteOffset, bytes.length >> 1);
  return new Int16Array(Uint8Array.from(bytes).buffer);
}

/**
 * `map`: a count, then for each surface its number, how many entries it has, and their offsets in `rows`. A row is left
 * id, right id and cost of 2 bytes each, and 4 bytes of part of speech, which cutting has no use for.
 */
function readTable(map: Buffer, rows: Buffer): MorphemeTable {
  const numbers = int32s(map);
  let surfaceCount = 0;
  let entryCount = 0;
  for (let left = numbers[0]!, at = 1; left > 0; left--) {
    surfaceCount = Math.max(surfaceCount, numbers[at]! + 1);
    entryCount += numbers[at + 1]!;
    at += 2 + numbers[at + 1]!;
  }
  // Numbers have gaps, which are surfaces without entries: their place is 0, where the count of all stands.
  const places = new Uint32Array(surfaceCount);
  for (let left = numbers[0]!, at = 1; left > 0; left--) {
    places[numbers[at]!] = at + 1;
    at += 2 + numbers[at + 1]!;
  }
  const fields = int16s(rows);
  const starts = new Uint32Array(surfaceCount + 1);
  const lefts = new Int16Array(entryCount);
  const rights = new Int16Array(entryCount);
  const costs = new Int16Array(entryCount);
  let entry = 0;
  for (let surface = 0; surface < surfaceCount; surface++) {
    starts[surface] = entry;
    const place = places[surface]!;
    for (let left = place === 0 ? 0 : numbers[place]!; left > 0; left--) {
      const row = numbers[place + left]!;
      if (row % ENTRY_BYTES !== 0) throw new RangeError('entries are not rows of 10 bytes');
      const at = row >> 1;
      lefts[entry] = fields[at]!;
      rights[entry] = fields[at + 1]!;
      costs[entry] = fields[at + 2]!;
      entry++;
    }
  }
  starts[surfaceCount] = entry;
  return { starts, lefts, rights, costs };
}

/** A row: two flags of a byte, a length of 4 (which a grouping dictionary does without), and a name ended by 0. */
function readKinds(bytes: Buffer): CharacterKind[] {
  const kinds: CharacterKind[] = [];
  for (let at = 0; at + 6 < bytes.length && bytes[at + 6] !== 0; at = bytes.indexOf(0, at + 6) + 1) {
    kinds.push({ isAlways: bytes[at] === 1, isGrouped: bytes[at + 1] === 1 });
  }
  return kinds;
}

function memoize(find: (code: number) => readonly number[]): (code: number) => readonly number[] {
  const known = new Map<number, readonly number[]>();
  return (code) => {
    let found = known.get(code);
    if (found === undefined) {
      found = find(code);
      known.set(code, found);
    }
    return found;
  };
}
