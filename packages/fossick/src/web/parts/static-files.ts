import {
  type BlocksMissing,
  DamagedFile,
  type Directory,
  decodeDirectory,
  FILE_LIMITS,
  type FileStore,
  type FilesManifest,
  fetched,
  fetchedRange,
  openFileStore,
  readBlock,
  readManifest,
  unpacked,
} from '@fossick/storage/files';
import { fetchOrRead } from './fetch-or-read.js';

/** How the files of a static index are fetched. */
export interface StaticOptions {
  /** Used instead of the global `fetch`. */
  readonly fetch?: typeof fetch | undefined;
  /** The name of the Cache of the platform that keeps what was fetched; null: nothing is kept there. */
  readonly cache?: string | null | undefined;
  /** Indexes of at most this many bytes of files are fetched as a whole; 1 MiB when absent. */
  readonly wholeBytes?: number | undefined;
  /** Memory for rows, in bytes; 64 MiB when absent. */
  readonly maxRowBytes?: number | undefined;
}

const DEFAULT_WHOLE_BYTES = 1 << 20;
const DEFAULT_ROW_BYTES = 64 << 20;
const DEFAULT_CACHE = 'fossick';
/** Bytes between two wanted blocks that are fetched with them, rather than by another request. */
const GAP_BYTES = 4 << 10;
/** The longest range of one request, unless one block is longer. */
const RANGE_BYTES = 1 << 20;

/** What was fetched so far. */
export interface Traffic {
  readonly requests: number;
  readonly bytes: number;
}

interface Range {
  readonly pack: number;
  readonly from: number;
  readonly to: number;
  readonly blocks: readonly number[];
}

/** The files of one commit at an address, and the store that they fill. */
export class StaticFiles {
  readonly manifest: FilesManifest;
  readonly store: FileStore;
  private readonly directory: Directory;
  private readonly address: URL | string;
  private readonly fetchWith: typeof fetch;
  private readonly cacheName: string | null;
  /** Blocks on their way: each is requested once, however many searches wait for it. */
  private readonly pending = new Map<number, Promise<void>>();
  private counted = { requests: 0, bytes: 0 };

  private constructor(
    address: URL | string,
    { manifest, directory, fetchWith }: { manifest: FilesManifest; directory: Directory; fetchWith: typeof fetch },
    options: StaticOptions,
  ) {
    this.address = address;
    this.manifest = manifest;
    this.directory = directory;
    this.fetchWith = fetchWith;
    this.cacheName = options.cache === undefined ? DEFAULT_CACHE : options.cache;
    this.store = openFileStore(directory, options.maxRowBytes ?? DEFAULT_ROW_BYTES);
  }

  /** Reads the manifest and the directory, and small indexes as a whole. @throws DamagedFile */
  static async open(address: URL | string, options: StaticOptions): Promise<StaticFiles> {
    const { fetch: fetchWith = fetchOrRead, wholeBytes = DEFAULT_WHOLE_BYTES } = options;
    const cacheName = options.cache === undefined ? DEFAULT_CACHE : options.cache;
    const bytes = await fetched(fetchWith, address, FILE_LIMITS.manifestBytes, 'no-cache');
    const manifest = readManifest(bytes, String(address));
    const { name, bytes: directoryBytes } = manifest.directory;
    const place = siblingOf(address, name);
    const kept = await keptAt(cacheName, keyOf(place, 0, directoryBytes));
    let directory = kept && (await decodedDirectory(kept, manifest).catch(() => undefined));
    const isKept = directory !== undefined;
    if (directory === undefined) {
      const packed = await fetched(fetchWith, place, directoryBytes);
      directory = await decodedDirectory(packed, manifest);
      await keep(cacheName, keyOf(place, 0, directoryBytes), packed);
    }
    const files = new StaticFiles(address, { manifest, directory, fetchWith }, options);
    files.count(bytes.length);
    if (!isKept) files.count(directoryBytes);
    const total = manifest.packs.reduce((sum, pack) => sum + pack.bytes, 0);
    if (total <= wholeBytes) await files.fetchBlocks(directory.blocks.map((_, number) => number));
    return files;
  }

  get traffic(): Traffic {
    return { ...this.counted };
  }

  /** Fetches what a read found missing: several ranges at once, and nothing twice. @throws DamagedFile */
  readonly fetchMissing = ({ blocks }: BlocksMissing): Promise<void> => this.fetchBlocks(blocks);

  private async fetchBlocks(blocks: readonly number[]): Promise<void> {
    const wanted = blocks.filter((block) => !this.pending.has(block) && !this.store.has(block));
    this.checkMemory(wanted);
    const ranges = this.rangesOf(wanted);
    for (const range of ranges) {
      const fetching = this.fetchRange(range).finally(() => {
        for (const block of range.blocks) this.pending.delete(block);
      });
      for (const block of range.blocks) this.pending.set(block, fetching);
    }
    // all of them have ended before an error is thrown, so that nothing runs on
    const ended = await Promise.allSettled(new Set(blocks.flatMap((block) => this.pending.get(block) ?? [])));
    for (const one of ended) if (one.status === 'rejected') throw one.reason;
  }

  /** A directory may not make a reader hold more rows than any search needs. */
  private checkMemory(blocks: readonly number[]): void {
    const bytes = blocks.reduce((sum, block) => sum + this.directory.blocks[block]!.rawBytes, this.store.heldBytes);
    if (bytes > FILE_LIMITS.heldBytes)
      throw new DamagedFile(this.manifest.directory.name, `a search would need ${bytes} bytes of rows in memory`);
  }

  /** Joins blocks that are near to each other. Blocks of a pack are in the order of their bytes. */
  private rangesOf(blocks: readonly number[]): Range[] {
    const ranges: Range[] = [];
    for (const block of blocks) {
      const { pack, from, packedBytes } = this.directory.blocks[block]!;
      const to = from + packedBytes;
      const last = ranges.at(-1);
      if (last?.pack === pack && from - last.to <= GAP_BYTES && to - last.from <= RANGE_BYTES)
        ranges[ranges.length - 1] = { ...last, to, blocks: [...last.blocks, block] };
      else ranges.push({ pack, from, to, blocks: [block] });
    }
    return ranges;
  }

  private async fetchRange({ pack, from, to, blocks }: Range): Promise<void> {
    const { name, bytes: fileBytes } = this.manifest.packs[pack]!;
    const place = siblingOf(this.address, name);
    const key = keyOf(place, from, to);
    if (await this.giveKept(key, name, from, blocks)) return;
    const { bytes, isWhole } = await fetchedRange(this.fetchWith, place, { from, to, fileBytes });
    this.count(bytes.length);
    const start = isWhole ? 0 : from;
    // a server that ignores ranges has sent all blocks of the pack
    const given = isWhole ? this.blocksOf(pack) : blocks;
    await this.giveBlocks(name, bytes, start, given);
    await keep(this.cacheName, isWhole ? keyOf(place, 0, fileBytes) : key, bytes);
  }

  /** Whether the blocks were kept by an earlier visit; a kept range that is damaged is fetched again. */
  private async giveKept(key: string, file: string, from: number, blocks: readonly number[]): Promise<boolean> {
    const kept = await keptAt(this.cacheName, key);
    if (kept === undefined) return false;
    try {
      await this.giveBlocks(file, kept, from, blocks);
      return true;
    } catch (error) {
      if (error instanceof DamagedFile) return false;
      throw error;
    }
  }

  private blocksOf(pack: number): readonly number[] {
    return this.directory.blocks.flatMap((block, number) => (block.pack === pack ? [number] : []));
  }

  private async giveBlocks(file: string, bytes: Uint8Array, start: number, blocks: readonly number[]): Promise<void> {
    const { id } = this.manifest;
    await Promise.all(
      blocks.map(async (number) => {
        const { from, packedBytes, rawBytes } = this.directory.blocks[number]!;
        const packed = bytes.subarray(from - start, from - start + packedBytes);
        const raw = await unpacked(packed, rawBytes, file);
        this.store.give(number, readBlock(raw, { file, id, number, rawBytes }));
      }),
    );
  }

  private count(bytes: number): void {
    this.counted = { requests: this.counted.requests + 1, bytes: this.counted.bytes + bytes };
  }
}

/** @throws DamagedFile */
async function decodedDirectory(packed: Uint8Array, { directory, packs }: FilesManifest): Promise<Directory> {
  const { name, bytes } = directory;
  if (packed.length !== bytes) throw new DamagedFile(name, `it has ${packed.length} bytes instead of ${bytes}`);
  return decodeDirectory(await unpacked(packed, FILE_LIMITS.directoryBytes, name), name, packs);
}

/** The address of a file next to the manifest. Names were checked: they have no slash. */
function siblingOf(address: URL | string, name: string): string {
  return String(address)
    .replace(/[?#].*$/s, '')
    .replace(/[^/]*$/, name);
}

/** Ranges are kept under an address that no server has; the hash in the name says what is in the file. */
function keyOf(place: string, from: number, to: number): string {
  return `${place}?range=${from}-${to}`;
}

/** Kept bytes; undefined where there are none, or the platform has no caches (pages without HTTPS, Node.js). */
async function keptAt(cacheName: string | null, key: string): Promise<Uint8Array | undefined> {
  try {
    const found = cacheName === null ? undefined : await (await caches.open(cacheName)).match(key);
    return found && new Uint8Array(await found.arrayBuffer());
  } catch {
    return undefined;
  }
}

/** Keeps bytes that were checked. A cache that is full or missing only costs the next visit a request. */
async function keep(cacheName: string | null, key: string, bytes: Uint8Array): Promise<void> {
  try {
    if (cacheName !== null)
      await (await caches.open(cacheName)).put(key, new Response(bytes as Uint8Array<ArrayBuffer>));
  } catch {
    // nothing is kept
  }
}
