/** Dictionaries, each read by a thread when a text in its language first turns up there, or given to it by another thread that has read it. */

export type DictionaryName = 'chinese' | 'german' | 'japanese' | 'khmer' | 'korean' | 'thai';

/** What `withoutReading` throws where a text needs a dictionary that this thread does not have. */
export class DictionaryMissing extends Error {
  readonly dictionary: DictionaryName;

  constructor(dictionary: DictionaryName) {
    super(`the dictionary \`${dictionary}\` is not in this thread`);
    this.dictionary = dictionary;
  }
}

/** Numbers, texts and typed arrays, in objects and lists: what one thread may send another. */
export type DictionaryTables = object;

let isReadingOff = false;
/** Of whatever tables. Who gives some has read them under the same name. */
interface AnyDictionary {
  tables(): DictionaryTables;
  give(tables: DictionaryTables): void;
}
const dictionaries = new Map<DictionaryName, AnyDictionary>();

/** One dictionary of this thread. `read` makes its tables, which takes up to a second; `use` makes of them what cuts texts, at once. */
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

  /** Throws DictionaryMissing within `withoutReading`. */
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

/** Runs work that reads no dictionary: it throws DictionaryMissing where it would have to. What it does later, as a promise, is not held to it. */
export function withoutReading<T>(work: () => T): T {
  const before = isReadingOff;
  isReadingOff = true;
  try {
    return work();
  } finally {
    isReadingOff = before;
  }
}

/** The tables of a dictionary, to be sent to another thread, with the memory that goes along. Takes up to a second. */
export function readDictionary(name: DictionaryName): {
  readonly tables: DictionaryTables;
  readonly buffers: readonly ArrayBuffer[];
} {
  const tables: DictionaryTables = dictionaries.get(name)!.tables();
  return { tables, buffers: [...new Set(buffersOf(tables))] };
}

/** Takes tables that another thread has read. */
export function giveDictionary(name: DictionaryName, tables: DictionaryTables): void {
  dictionaries.get(name)!.give(tables);
}

function buffersOf(value: unknown): ArrayBuffer[] {
  if (ArrayBuffer.isView(value)) return [value.buffer as ArrayBuffer];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(buffersOf);
}
