import { compareBytes, utf8Bytes, utf8Text } from '@fossick/base';
import {
  type BlockPlace,
  DamagedFile,
  type Directory,
  FILE_LIMITS,
  type FileEntry,
  type TableDirectory,
} from './file-format.js';

/** Appends varints and bytes. */
class Out {
  private readonly bytes: number[] = [];

  varint(value: number): void {
    let rest = value;
    for (; rest >= 0x80; rest = Math.floor(rest / 128)) this.bytes.push((rest % 128) | 0x80);
    this.bytes.push(rest);
  }
  text(bytes: Uint8Array): void {
    this.varint(bytes.length);
    for (const byte of bytes) this.bytes.push(byte);
  }
  take(): Uint8Array {
    return Uint8Array.from(this.bytes);
  }
}

/**
 * Bytes of a directory, not compressed. For each table its name, the bytes that keys share, and its number of blocks; for each block the change of the
 * pack, of the group, its lengths, and its first key as the bytes it shares with the one before and the rest.
 */
export function encodeDirectory({ tables, blocks }: Directory): Uint8Array {
  const out = new Out();
  out.varint(tables.length);
  let [pack, group] = [0, 0];
  for (const { name, prefixBytes, firstKeys, firstBlock } of tables) {
    out.text(utf8Bytes(name));
    out.varint(prefixBytes);
    out.varint(firstKeys.length);
    let before: Uint8Array = new Uint8Array(0);
    for (const [at, key] of firstKeys.entries()) {
      const block = blocks[firstBlock + at]!;
      out.varint(block.pack - pack);
      out.varint(block.group - group);
      out.varint(block.packedBytes);
      out.varint(block.rawBytes);
      [pack, group] = [block.pack, block.group];
      let shared = 0;
      while (shared < before.length && shared < key.length && before[shared] === key[shared]) shared += 1;
      out.varint(shared);
      out.text(key.subarray(shared));
      before = key;
    }
  }
  return out.take();
}

/** Reads varints and bytes of a file, which it names in errors. */
export class In {
  private readonly bytes: Uint8Array;
  private readonly file: string;
  private at: number;

  constructor(bytes: Uint8Array, file: string, at = 0) {
    this.bytes = bytes;
    this.file = file;
    this.at = at;
  }

  get isAtEnd(): boolean {
    return this.at === this.bytes.length;
  }

  /** An integer from 0 to `max`. @throws DamagedFile */
  varint(max: number): number {
    let value = 0;
    for (let factor = 1; factor <= 2 ** 42; factor *= 128) {
      const byte = this.bytes[this.at++];
      if (byte === undefined) throw this.damaged('it ends too early');
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) {
        if (value > max) throw this.damaged(`${value} is more than ${max}`);
        return value;
      }
    }
    throw this.damaged('a number has no end');
  }

  /** Bytes after their length, without a copy. @throws DamagedFile */
  text(): Uint8Array {
    return this.take(this.varint(this.bytes.length - this.at));
  }

  private take(length: number): Uint8Array {
    if (length > this.bytes.length - this.at) throw this.damaged('it ends too early');
    this.at += length;
    return this.bytes.subarray(this.at - length, this.at);
  }

  damaged(reason: string): DamagedFile {
    return new DamagedFile(this.file, reason);
  }
}

/** The reverse of `encodeDirectory`. O(bytes) @throws DamagedFile for anything that does not fit the packs */
export function decodeDirectory(bytes: Uint8Array, file: string, packs: readonly FileEntry[]): Directory {
  const input = new In(bytes, file);
  const tables: TableDirectory[] = [];
  const blocks: BlockPlace[] = [];
  let [pack, group, from] = [0, 0, 0];
  const tableCount = input.varint(FILE_LIMITS.tableCount);
  while (tables.length < tableCount) {
    const name = utf8Text(input.text());
    const prefixBytes = input.varint(255);
    const count = input.varint(FILE_LIMITS.blockCount - blocks.length);
    const firstKeys: Uint8Array[] = [];
    const firstBlock = blocks.length;
    for (let before: Uint8Array = new Uint8Array(0); firstKeys.length < count; ) {
      const step = input.varint(FILE_LIMITS.packCount);
      if (step > 0) from = 0;
      pack += step;
      group += input.varint(FILE_LIMITS.blockCount);
      const packedBytes = input.varint(FILE_LIMITS.packBytes);
      const rawBytes = input.varint(FILE_LIMITS.blockBytes);
      if (from + packedBytes > (packs[pack]?.bytes ?? 0)) throw input.damaged(`block ${blocks.length} is in no pack`);
      blocks.push({ pack, from, packedBytes, rawBytes, group });
      from += packedBytes;
      const key = keyAfter(before, input);
      if (firstKeys.length > 0 && compareBytes(before, key) >= 0) throw input.damaged('its keys are not in order');
      firstKeys.push(key);
      before = key;
    }
    tables.push({ name, prefixBytes, firstKeys, firstBlock });
  }
  if (!input.isAtEnd) throw input.damaged('it goes on after its end');
  return { tables, blocks };
}

function keyAfter(before: Uint8Array, input: In): Uint8Array {
  const shared = input.varint(before.length);
  const rest = input.text();
  const key = new Uint8Array(shared + rest.length);
  key.set(before.subarray(0, shared));
  key.set(rest, shared);
  return key;
}
