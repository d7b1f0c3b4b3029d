/** All dictionaries by name, so that a thread can read one that it does not use itself. */

import type { DictionaryName, DictionaryTables, SharedDictionary } from '../dictionaries/dictionary.js';
import { hanDictionary } from '../dictionaries/han-variants.js';
import { withOwnFile } from '../dictionaries/package-file.js';
import { chineseDictionary } from './chinese.js';
import { germanDictionary } from './german.js';
import { japaneseDictionary, koreanDictionary } from './japanese-korean.js';
import { khmerDictionary, thaiDictionary } from './southeast-asian.js';

// a table, because a bundle leaves out modules that only register themselves
const DICTIONARIES: Readonly<Record<DictionaryName, () => SharedDictionary>> = {
  chinese: chineseDictionary,
  german: germanDictionary,
  han: hanDictionary,
  japanese: japaneseDictionary,
  khmer: khmerDictionary,
  korean: koreanDictionary,
  thai: thaiDictionary,
};

/** The tables of a dictionary, with the buffers to transfer to another thread. Takes up to a second. */
export function readDictionary(name: DictionaryName): {
  readonly tables: DictionaryTables;
  readonly buffers: readonly ArrayBuffer[];
} {
  const tables: DictionaryTables = DICTIONARIES[name]().tables();
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
    withOwnFile(path, bytes, () => DICTIONARIES[name]().tables()),
  );
}

/** Sets tables that another thread has read. */
export function giveDictionary(name: DictionaryName, tables: DictionaryTables): void {
  DICTIONARIES[name]().give(tables);
}

function buffersOf(value: unknown): ArrayBuffer[] {
  if (ArrayBuffer.isView(value)) return [value.buffer as ArrayBuffer];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(buffersOf);
}
