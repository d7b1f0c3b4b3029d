import { base64Text, joinedBytes } from '@fossick/base';
import type { Snapshot } from '../store.js';
import { encodeDirectory } from './directory-codec.js';
import { type BlockPlace, FILES_FORMAT, type FileEntry, type FilesManifest, HEAD_BYTES } from './file-format.js';
import { packed } from './packing.js';

/** How the rows of a table become blocks. */
export interface TableLayout {
  /** Rows whose keys differ within these first bytes are in different blocks. */
  readonly prefixBytes: number;
  /** Bytes of rows in a block, unless one row is larger. */
  readonly blockBytes: (key: Uint8Array) => number;
  /** Whether readers read all rows that begin like this key together. */
  readonly isGrouped: (key: Uint8Array) => boolean;
}

export interface FilesOptions {
  /** Tables in the order of their blocks; others are left out. */
  readonly tables: Readonly<Record<string, TableLayout>>;
  /** Bytes of a pack. */
  readonly packBytes: number;
  /** What identifies the export, ID_BYTES. */
  readonly id: Uint8Array;
  readonly about: FilesManifest['about'];
  /** The name of a file with this content. */
  readonly nameOf: (bytes: Uint8Array, kind: 'pack' | 'directory') => Promise<string>;
  /** Stores a file before the next is made. */
  readonly onFile: (name: string, bytes: Uint8Array) => void | Promise<void>;
}

/** Writes one commit as files (file-format.ts) and returns its manifest. Memory: one pack. O(bytes) */
export async function writeFiles(snapshot: Snapshot, options: FilesOptions): Promise<FilesManifest> {
  const writer = new FilesWriter(options);
  const tables = [];
  for (const [name, layout] of Object.entries(options.tables)) {
    const firstBlock = writer.blocks.length;
    const firstKeys: Uint8Array[] = [];
    for (const block of blocksOf(snapshot.table(name).range({}), layout)) {
      firstKeys.push(block.firstKey);
      await writer.add(block);
    }
    tables.push({ name, prefixBytes: layout.prefixBytes, firstKeys, firstBlock });
  }
  await writer.endPack();
  const { blocks, packs } = writer;
  const bytes = await packed(encodeDirectory({ tables, blocks }));
  const directory = await writer.put(bytes, 'directory');
  return { format: FILES_FORMAT, id: base64Text(options.id), directory, packs, about: options.about };
}

interface RawBlock {
  readonly firstKey: Uint8Array;
  readonly rows: Uint8Array;
  /** Whether it begins a group of blocks. */
  readonly beginsGroup: boolean;
}

/** Cuts the rows of a table into blocks. */
function* blocksOf(
  rows: Iterable<{ readonly key: Uint8Array; readonly value: Uint8Array }>,
  layout: TableLayout,
): Generator<RawBlock> {
  let pieces: Uint8Array[] = [];
  let byteCount = 0;
  let firstKey: Uint8Array | undefined;
  let beginsGroup = true;
  for (const { key, value } of rows) {
    const isAlike = firstKey !== undefined && sharesPrefix(firstKey, key, layout.prefixBytes);
    const rowBytes = key.length + value.length;
    if (firstKey !== undefined && (!isAlike || byteCount + rowBytes > layout.blockBytes(firstKey))) {
      yield { firstKey, rows: joinedBytes(pieces), beginsGroup };
      beginsGroup = !isAlike || !layout.isGrouped(key);
      [pieces, byteCount, firstKey] = [[], 0, undefined];
    }
    firstKey ??= new Uint8Array(key);
    // copies: a store may reuse the memory of a row
    pieces.push(varint(key.length), new Uint8Array(key), varint(value.length), new Uint8Array(value));
    byteCount += rowBytes;
  }
  if (firstKey !== undefined) yield { firstKey, rows: joinedBytes(pieces), beginsGroup };
}

function sharesPrefix(left: Uint8Array, right: Uint8Array, prefixBytes: number): boolean {
  for (let at = 0; at < prefixBytes; at++) if (left[at] !== right[at]) return false;
  return true;
}

function varint(value: number): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 0x80; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 0x80);
  bytes.push(rest);
  return Uint8Array.from(bytes);
}

class FilesWriter {
  readonly blocks: BlockPlace[] = [];
  readonly packs: FileEntry[] = [];
  private readonly options: FilesOptions;
  private pieces: Uint8Array[] = [];
  private packedBytes = 0;
  private group = -1;

  constructor(options: FilesOptions) {
    this.options = options;
  }

  async add({ rows, beginsGroup }: RawBlock): Promise<void> {
    const head = new Uint8Array(HEAD_BYTES);
    head.set(this.options.id);
    new DataView(head.buffer).setUint32(this.options.id.length, this.blocks.length);
    const bytes = await packed(joinedBytes([head, rows]));
    if (this.packedBytes > 0 && this.packedBytes + bytes.length > this.options.packBytes) await this.endPack();
    if (beginsGroup) this.group += 1;
    this.blocks.push({
      pack: this.packs.length,
      from: this.packedBytes,
      packedBytes: bytes.length,
      rawBytes: HEAD_BYTES + rows.length,
      group: this.group,
    });
    this.pieces.push(bytes);
    this.packedBytes += bytes.length;
  }

  async endPack(): Promise<void> {
    if (this.pieces.length === 0) return;
    this.packs.push(await this.put(joinedBytes(this.pieces), 'pack'));
    this.pieces = [];
    this.packedBytes = 0;
  }

  async put(bytes: Uint8Array, kind: 'pack' | 'directory'): Promise<FileEntry> {
    const name = await this.options.nameOf(bytes, kind);
    await this.options.onFile(name, bytes);
    return { name, bytes: bytes.length };
  }
}
