import { joinedBytes, utf8Bytes } from '@fossick/base';
import { readManifest as readIndexManifest, rowsOf as storedRows, WHOLE_LAYOUT } from '@fossick/format';
import type { MemoryCatalogue } from '@fossick/index/memory';
import {
  DamagedFile,
  decodeDirectory,
  FILE_LIMITS,
  type FilesManifest,
  ID_BYTES,
  packed,
  readBlock,
  readManifest,
  unpacked,
  writeFiles,
} from '@fossick/storage/files';
import { openMemoryStore } from '@fossick/storage/memory';

/** At the start of the bytes, and in errors. */
const MAGIC = utf8Bytes('fossick1');
const FILE = 'the exported indexes';
/** Bytes of a pack: one is in memory at a time. */
const PACK_BYTES = 8 << 20;

/**
 * All indexes as bytes: MAGIC, then sections [u32 BE length][bytes]. The first section is the JSON of the list of indexes;
 * for each index follow its manifest, packs and directory, as files of a static index would be.
 */
export async function exportedCatalogue(catalogue: MemoryCatalogue): Promise<Uint8Array> {
  const infos = catalogue.infos().map(({ uid, createdAt, primaryKey }) => ({ uid, createdAt, primaryKey }));
  const pieces: Uint8Array[] = [MAGIC, ...section(await packed(utf8Bytes(JSON.stringify(infos))))];
  for (const { uid } of infos) {
    const files: Uint8Array[] = [];
    const id = crypto.getRandomValues(new Uint8Array(ID_BYTES));
    let fileCount = 0;
    const manifest = await catalogue.store(catalogue.existing(uid).folder).snapshot((snapshot) =>
      writeFiles(snapshot, {
        tables: WHOLE_LAYOUT,
        packBytes: PACK_BYTES,
        id,
        about: { uid },
        nameOf: async (_bytes, kind) => `${String(fileCount++).padStart(16, '0')}.${kind}`,
        onFile: (_name, bytes) => void files.push(...section(bytes)),
      }),
    );
    pieces.push(...section(utf8Bytes(JSON.stringify(manifest))), ...files);
  }
  return joinedBytes(pieces);
}

function section(bytes: Uint8Array): Uint8Array[] {
  const length = new Uint8Array(4);
  new DataView(length.buffer).setUint32(0, bytes.length);
  return [length, bytes];
}

/** Adds the exported indexes to an empty catalogue. @throws DamagedFile */
export async function fillCatalogue(catalogue: MemoryCatalogue, bytes: Uint8Array): Promise<void> {
  const sections = new Sections(bytes);
  const infos = listedIn(await unpacked(sections.next(), FILE_LIMITS.manifestBytes * 64, FILE));
  for (const { uid, createdAt, primaryKey } of infos) {
    const manifest = readManifest(sections.next(), FILE);
    const packs = manifest.packs.map(() => sections.next());
    const store = openMemoryStore();
    for (const { table, rows } of await rowsOf(manifest, packs, sections.next()))
      store.transaction((transaction) => {
        for (const [at, key] of rows.keys.entries()) transaction.put(table, key, rows.values[at]!);
      });
    // an index must be in it
    readIndexManifest(storedRows(store));
    catalogue.adopt(uid, store, primaryKey, createdAt);
  }
}

async function rowsOf(manifest: FilesManifest, packs: readonly Uint8Array[], directoryBytes: Uint8Array) {
  const raw = await unpacked(directoryBytes, FILE_LIMITS.directoryBytes, FILE);
  const entries = packs.map((pack, at) => ({ name: manifest.packs[at]!.name, bytes: pack.length }));
  const { tables, blocks } = decodeDirectory(raw, FILE, entries);
  const found = [];
  for (const { name, firstBlock, firstKeys } of tables)
    for (let number = firstBlock; number < firstBlock + firstKeys.length; number++) {
      const { pack, from, packedBytes, rawBytes } = blocks[number]!;
      const bytes = await unpacked(packs[pack]!.subarray(from, from + packedBytes), rawBytes, FILE);
      found.push({ table: name, rows: readBlock(bytes, { file: FILE, id: manifest.id, number, rawBytes }) });
    }
  return found;
}

interface Listed {
  readonly uid: string;
  readonly createdAt: string;
  readonly primaryKey: string | null;
}

function listedIn(bytes: Uint8Array): readonly Listed[] {
  let list: unknown;
  try {
    list = JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    list = undefined;
  }
  const isListed = (one: unknown): boolean =>
    typeof one === 'object' &&
    one !== null &&
    typeof (one as Listed).uid === 'string' &&
    typeof (one as Listed).createdAt === 'string' &&
    ((one as Listed).primaryKey === null || typeof (one as Listed).primaryKey === 'string');
  if (!Array.isArray(list) || !list.every(isListed)) throw new DamagedFile(FILE, 'their list cannot be read');
  return list as readonly Listed[];
}

class Sections {
  private readonly bytes: Uint8Array;
  private at = MAGIC.length;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
    if (MAGIC.some((byte, at) => bytes[at] !== byte)) throw new DamagedFile(FILE, 'they do not begin as they should');
  }

  next(): Uint8Array {
    const { at, bytes } = this;
    if (at + 4 > bytes.length) throw new DamagedFile(FILE, 'they end too early');
    const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(at);
    if (length > bytes.length - at - 4) throw new DamagedFile(FILE, 'they end too early');
    this.at = at + 4 + length;
    return bytes.subarray(at + 4, this.at);
  }
}
