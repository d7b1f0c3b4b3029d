import { withOwnFile } from './package-file.js';

/** Dictionaries. A thread reads each at the first text in its language, or receives it from another thread that has read it. */

export type DictionaryName = 'chinese' | 'german' | 'japanese' | 'khmer' | 'korean' | 'thai';

/** Thrown within `withoutReading` where a text needs a dictionary that this thread does not have. */
export class DictionaryMissing extends Error {
  readonly dictionary: DictionaryName;

  constructor(dictionary: DictionaryName) {
    super(`the dictionary \`${dictionary}\` is not in this thread`);
    this.dictionary = dictionary;
  }
}

/** Dictionaries that are lists of words. */
const WORD_LISTS: ReadonlySet<DictionaryName> = new Set(['khmer', 'thai']);

/** Numbers, texts and typed arrays, in objects and arrays: what one thread can send to another. */
export type DictionaryTables = object;

let isReadingOff = false;
/** A dictionary with any type of tables. Tables must come from a dictionary of the same name. */
interface AnyDictionary {
  tables(): DictionaryTables;
  give(tables: DictionaryTables): void;
}
const dictionaries = new Map<DictionaryName, AnyDictionary>();

/** A dictionary of this thread. `read` loads its tables, which takes up to a second; `use` wraps them, at no cost. */
export class Dictionary<Tables extends DictionaryTables, Use> {
  private readonly name: DictionaryName;
  private readonly read: () => Tables;
  private readonly use: (tables: Tables) => Use;
  private used: Use | undefined;

  constructor(name: DictionaryName, read: () => Tables, use: (tables: Tables) => Use) {
    this.name = name;
    this.read = read;
    this.use = use;
    dictionaries.set(name, this);
  }

  /** Throws DictionaryMissing within `withoutReading`, when it would have to be read. */
  get(): Use {
    if (this.used === undefined) {
      if (isReadingOff) throw new DictionaryMissing(this.name);
      this.used = this.use(this.read());
    }
    return this.used;
  }
  tables(): Tables {
    return this.read();
  }
  give(tables: Tables): void {
    this.used ??= this.use(tables);
  }
}

/** Runs work that must not read a dictionary: it throws DictionaryMissing instead. Only synchronous work is covered. */
export function withoutReading<T>(work: () => T): T {
  const before = isReadingOff;
  isReadingOff = true;
  try {
    return work();
  } finally {
    isReadingOff = before;
  }
}

/** The tables of a dictionary, with the buffers to transfer to another thread. Takes up to a second. */
export function readDictionary(name: DictionaryName): {
  readonly tables: DictionaryTables;
  readonly buffers: readonly ArrayBuffer[];
} {
  const tables: DictionaryTables = dictionaries.get(name)!.tables();
  return { tables, buffers: [...new Set(buffersOf(tables))] };
}

/**
 * Reads a dictionary from the unpacked bytes of its file, `data/NAME.gz` of this package or `data/NAME-words.gz`: where
 * there is no file system.
 */
export function readDictionaryFrom(name: DictionaryName, bytes: Uint8Array): void {
  const path = `data/${name}${WORD_LISTS.has(name) ? '-words' : ''}.gz`;
  giveDictionary(
    name,
    withOwnFile(path, bytes, () => dictionaries.get(name)!.tables()),
  );
}

/** Sets tables that another thread has read. */
export function giveDictionary(name: DictionaryName, tables: DictionaryTables): void {
  dictionaries.get(name)!.give(tables);
}

function buffersOf(value: unknown): ArrayBuffer[] {
  if (ArrayBuffer.isView(value)) return [value.buffer as ArrayBuffer];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(buffersOf);
}
