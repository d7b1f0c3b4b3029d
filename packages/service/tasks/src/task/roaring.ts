/**
 * Sets of task uids in the portable format of Roaring bitmaps, which archives of the reference engine use for the
 * selection of a cancelation or deletion (an array of bytes).
 */
const NO_RUNS_COOKIE = 12346;
const RUNS_COOKIE = 12347;
const ARRAY_MAX = 4096;
const BITMAP_BYTES = 8192;
/** With fewer containers than this, a bitmap with runs has no offset table. */
const OFFSETS_FROM = 4;
/**
 * More tasks than a queue can have, which is trimmed at a million. Runs may overlap, so a few bytes could otherwise
 * list billions of uids.
 */
const UIDS_MAX = 10_000_000;

/** Uids are unsigned 32-bit integers, in any order. O(uids log uids). */
export function toRoaringBytes(uids: readonly number[]): number[] {
  const containers = new Map<number, number[]>();
  for (const uid of [...new Set(uids)].sort((left, right) => left - right)) {
    const high = Math.floor(uid / 65_536);
    const lows = containers.get(high) ?? [];
    containers.set(high, lows);
    lows.push(uid % 65_536);
  }
  const headers = 8 + containers.size * 8;
  const sizes = [...containers.values()].map((lows) => (lows.length > ARRAY_MAX ? BITMAP_BYTES : lows.length * 2));
  const bytes = Buffer.alloc(sizes.reduce((sum, size) => sum + size, headers));
  bytes.writeUInt32LE(NO_RUNS_COOKIE, 0);
  bytes.writeUInt32LE(containers.size, 4);
  let at = headers;
  [...containers].forEach(([high, lows], i) => {
    bytes.writeUInt16LE(high, 8 + i * 4);
    bytes.writeUInt16LE(lows.length - 1, 10 + i * 4);
    bytes.writeUInt32LE(at, 8 + containers.size * 4 + i * 4);
    if (lows.length > ARRAY_MAX) for (const low of lows) bytes[at + (low >> 3)]! |= 1 << (low & 7);
    else for (const [j, low] of lows.entries()) bytes.writeUInt16LE(low, at + j * 2);
    at += sizes[i]!;
  });
  return [...bytes];
}

/** The uids, ascending. Throws RangeError when the bytes are truncated or no such bitmap. */
export function fromRoaringBytes(received: readonly number[] | Uint8Array): number[] {
  const bytes = Buffer.from(received);
  const cookie = bytes.readUInt32LE(0);
  const hasRuns = (cookie & 0xffff) === RUNS_COOKIE;
  if (!hasRuns && cookie !== NO_RUNS_COOKIE) throw new RangeError('not a Roaring bitmap');
  const count = hasRuns ? (cookie >>> 16) + 1 : bytes.readUInt32LE(4);
  const runFlags = hasRuns ? 4 : 0;
  const headers = hasRuns ? 4 + Math.ceil(count / 8) : 8;
  let at = headers + count * 4 + (!hasRuns || count >= OFFSETS_FROM ? count * 4 : 0);
  const uids: number[] = [];
  for (let i = 0; i < count; i++) {
    const base = bytes.readUInt16LE(headers + i * 4) * 65_536;
    const size = bytes.readUInt16LE(headers + i * 4 + 2) + 1;
    const isRuns = hasRuns && (bytes[runFlags + (i >> 3)]! & (1 << (i & 7))) !== 0;
    at = readContainer(bytes, at, { base, size, isRuns }, uids);
    if (uids.length > UIDS_MAX) throw tooMany();
  }
  return uids;
}

function tooMany(): RangeError {
  return new RangeError(`a selection names more than ${UIDS_MAX} tasks`);
}

interface Container {
  readonly base: number;
  readonly size: number;
  readonly isRuns: boolean;
}
/** Appends the uids of the container at `at` and returns where it ends. */
function readContainer(bytes: Buffer, at: number, { base, size, isRuns }: Container, uids: number[]): number {
  if (isRuns) {
    const runs = bytes.readUInt16LE(at);
    for (let run = 0; run < runs; run++) {
      const first = base + bytes.readUInt16LE(at + 2 + run * 4);
      const last = first + bytes.readUInt16LE(at + 4 + run * 4);
      for (let uid = first; uid <= last; uid++) uids.push(uid);
      if (uids.length > UIDS_MAX) throw tooMany();
    }
    return at + 2 + runs * 4;
  }
  if (size <= ARRAY_MAX) {
    for (let i = 0; i < size; i++) uids.push(base + bytes.readUInt16LE(at + i * 2));
    return at + size * 2;
  }
  for (let low = 0; low < 65_536; low++)
    if ((bytes.readUInt8(at + (low >> 3)) & (1 << (low & 7))) !== 0) uids.push(base + low);
  return at + BITMAP_BYTES;
}
