/** Dictionaries. A thread reads each at the first text in its language, or receives it from another thread that has read it. */
import { builtIn } from '@fossick/base';
import { withOwnFile } from './package-file.js';

export type DictionaryName = 'chinese' | 'german' | 'han' | 'japanese' | 'khmer' | 'korean' | 'thai';

/** Thrown within `withoutReading` where a text needs a dictionary that this thread does not have. */
export class DictionaryMissing extends Error {
  readonly dictionary: DictionaryName;

  constructor(dictionary: DictionaryName) {
    super(`the dictionary \`${dictionary}\` is not in this thread`);
    this.dictionary = dictionary;
  }
}

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
  private readonly isQuick: boolean;
  private used: Use | undefined;

  /** `isQuick`: reading its file takes a few milliseconds, so that no other thread has to. */
  constructor(name: DictionaryName, read: () => Tables, use: (tables: Tables) => Use, isQuick = false) {
    this.name = name;
    this.read = read;
    this.use = use;
    this.isQuick = isQuick;
    dictionaries.set(name, this);
  }

  /** Throws DictionaryMissing within `withoutReading`, when it would have to be read. */
  get(): Use {
    if (this.used === undefined) {
      if (isReadingOff && !(this.isQuick && builtIn('node:fs') !== undefined)) throw new DictionaryMissing(this.name);
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
 * Reads a dictionary from the unpacked bytes of its file in the folder `dictionaries` of this package: where there is no file
 * system.
 */
export function readDictionaryFrom(name: DictionaryName, bytes: Uint8Array): void {
  const path = `dictionaries/${name}.gz`;
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
