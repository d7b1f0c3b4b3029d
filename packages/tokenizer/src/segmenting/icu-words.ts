import { readPackageFilePart } from './package-file.js';

const ICU_PACKAGE = 'icu4c-data';
const ICU_FILE = 'icudt67l.dat';
/** More than the contents and the longest dictionary take. */
const CONTENTS_BYTES_MAX = 1 << 20;
const DICTIONARY_BYTES_MAX = 1 << 24;
const HEADER_MAGIC = 0x27da;
const TRIE_TYPE_MASK = 7;
const TRANSFORM_BY_OFFSET = 0x1;
/** Bytes that stand for zero-width joiner and non-joiner, which lie outside the transformed range. */
const BYTE_OF_JOINER = 0xff;
const BYTE_OF_NON_JOINER = 0xfe;

/** Lead bytes of a BytesTrie (ICU's bytestrie.h): below are branches, then matches, then values. */
const FIRST_MATCH_LEAD = 0x10;
const FIRST_VALUE_LEAD = 0x20;
const LINEAR_BRANCH_MAX = 5;

/**
 * The words of one of ICU's break dictionaries (`thaidict`, `khmerdict`), in the trie's order. Of the data file (27 MB)
 * it reads the table of contents and the dictionary. Throws RangeError when the file is of another layout. O(words).
 */
export function readIcuWords(dictionary: string): string[] {
  const { bytes, transform } = readDictionary(`brkitr/${dictionary}.dict`);
  const base = transform & 0x1fffff;
  const words: string[] = [];
  new BytesTrie(bytes, (key) => words.push(String.fromCharCode(...key.map((byte) => unitOf(byte, base))))).visit(0, []);
  return words;
}

function unitOf(byte: number, base: number): number {
  if (byte === BYTE_OF_JOINER) return 0x200d;
  return byte === BYTE_OF_NON_JOINER ? 0x200c : base + byte;
}

/** The file is a table of contents (count, then pairs of name and data offset) and the items it names. */
function readDictionary(name: string): { readonly bytes: Buffer; readonly transform: number } {
  const file = readPart(0, CONTENTS_BYTES_MAX);
  const contents = skipHeader(file, 0);
  const count = file.readUInt32LE(contents);
  for (let item = 0; item < count; item++) {
    const entry = contents + 4 + item * 8;
    const nameStart = contents + file.readUInt32LE(entry);
    if (!file.toString('latin1', nameStart, file.indexOf(0, nameStart)).endsWith(`/${name}`)) continue;
    const start = contents + file.readUInt32LE(entry + 4);
    // The items lie in the order of the contents, so this one ends where the next begins.
    const end = item + 1 < count ? contents + file.readUInt32LE(entry + 12) : Number.MAX_SAFE_INTEGER;
    return cutDictionary(readPart(start, Math.min(end - start, DICTIONARY_BYTES_MAX)));
  }
  throw new RangeError(`no dictionary ${name} in the ICU data`);
}

function readPart(start: number, length: number): Buffer {
  return readPackageFilePart(ICU_PACKAGE, ICU_FILE, start, length);
}

function cutDictionary(item: Buffer): { readonly bytes: Buffer; readonly transform: number } {
  const indexes = skipHeader(item, 0);
  const [trieOffset, totalBytes, type, transform] = [0, 3, 4, 5].map((index) => item.readInt32LE(indexes + index * 4));
  if ((type! & TRIE_TYPE_MASK) !== 0 || transform! >>> 24 !== TRANSFORM_BY_OFFSET) {
    throw new RangeError('not a dictionary of bytes');
  }
  return { bytes: item.subarray(indexes + trieOffset!, indexes + totalBytes!), transform: transform! };
}

function skipHeader(file: Buffer, at: number): number {
  if (file.readUInt16LE(at + 2) !== HEADER_MAGIC) throw new RangeError('not ICU data');
  return at + file.readUInt16LE(at);
}

/** Lists the keys of a serialised BytesTrie. */
class BytesTrie {
  private at = 0;

  constructor(
    private readonly bytes: Buffer,
    private readonly found: (key: readonly number[]) => void,
  ) {}

  visit(start: number, key: readonly number[]): void {
    let path = key;
    this.at = start;
    for (;;) {
      const lead = this.bytes[this.at++]!;
      if (lead < FIRST_MATCH_LEAD) {
        const length = (lead === 0 ? this.bytes[this.at++]! : lead) + 1;
        this.visitBranch(this.at, length, path);
        return;
      }
      if (lead < FIRST_VALUE_LEAD) {
        const end = this.at + lead - FIRST_MATCH_LEAD + 1;
        path = [...path, ...this.bytes.subarray(this.at, end)];
        this.at = end;
        continue;
      }
      this.found(path);
      if ((lead & 1) !== 0) return;
      this.readValue(lead);
    }
  }

  /** A binary search over the next byte that ends in a short list of bytes, the last of which goes straight on. */
  private visitBranch(start: number, length: number, key: readonly number[]): void {
    this.at = start;
    if (length > LINEAR_BRANCH_MAX) {
      this.at++;
      const delta = this.readDelta();
      const upper = this.at;
      this.visitBranch(upper + delta, length >> 1, key);
      this.visitBranch(upper, length - (length >> 1), key);
      return;
    }
    for (let left = length; left > 1; left--) {
      const path = [...key, this.bytes[this.at++]!];
      const lead = this.bytes[this.at++]!;
      const value = this.readValue(lead);
      const next = this.at;
      if ((lead & 1) !== 0) this.found(path);
      else this.visit(next + value, path);
      this.at = next;
    }
    const last = this.bytes[this.at]!;
    this.visit(this.at + 1, [...key, last]);
  }

  private readValue(lead: number): number {
    const kind = lead >> 1;
    if (kind < 0x51) return kind - 0x10;
    if (kind < 0x6c) return ((kind - 0x51) << 8) | this.readBytes(1);
    if (kind < 0x7e) return ((kind - 0x6c) << 16) | this.readBytes(2);
    return this.readBytes(kind === 0x7e ? 3 : 4);
  }

  private readDelta(): number {
    const lead = this.bytes[this.at++]!;
    if (lead < 0xc0) return lead;
    if (lead < 0xf0) return ((lead - 0xc0) << 8) | this.readBytes(1);
    if (lead < 0xfe) return ((lead - 0xf0) << 16) | this.readBytes(2);
    return this.readBytes(lead === 0xfe ? 3 : 4);
  }

  private readBytes(count: number): number {
    const value = this.bytes.readUIntBE(this.at, count);
    this.at += count;
    return value;
  }
}
