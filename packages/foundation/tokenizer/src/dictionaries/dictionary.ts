/** Dictionaries. A thread reads each at the first text in its language, or receives it from another thread that has read it. */
import { builtIn } from '@fossick/base';

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

/** A dictionary as another thread sees it. The tables must come from a dictionary of the same name. */
export interface SharedDictionary {
  /** Reads the tables, without keeping them. Takes up to a second. */
  tables(): DictionaryTables;
  /** Sets tables that another thread has read. */
  give(tables: DictionaryTables): void;
}

/** A dictionary of this thread. `read` loads its tables, which takes up to a second; `use` wraps them, at no cost. */
export class Dictionary<Tables extends DictionaryTables, Use> implements SharedDictionary {
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
