import { giveLibrary, LibraryMissing } from '@fossick/base';
import { BlocksMissing } from '@fossick/storage/files';
import {
  DictionaryMissing,
  type DictionaryName,
  giveDictionary,
  readDictionary,
  readDictionaryFrom,
  withoutReading,
} from '@fossick/tokenizer';

/** Fetches what a search finds missing. */
export interface PartSources {
  /** The unpacked bytes of a word dictionary. */
  readonly dictionary: (name: DictionaryName) => Promise<Uint8Array>;
  /** Libraries that few requests need, by name. */
  readonly libraries: Readonly<Record<string, () => Promise<unknown>>>;
  /** Blocks of a static index. */
  readonly blocks?: ((missing: BlocksMissing) => Promise<void>) | undefined;
}

/**
 * The most times that one piece of work is repeated: a search of ten words finds parts missing some dozens of times in an
 * index whose lists are all elsewhere. Files that never give what is asked for end here.
 */
const ROUNDS_MAX = 200;

/**
 * Runs work, which must have no effect when it fails, and repeats it with each part that it finds missing before its
 * first pause.
 * @throws what the work or a source throws, and Error after ROUNDS_MAX rounds
 */
export async function withParts<T>(sources: PartSources, work: () => T | Promise<T>): Promise<T> {
  for (let round = 0; round < ROUNDS_MAX; round++) {
    try {
      return await withoutReading(work);
    } catch (error) {
      if (!(await wasFetched(sources, error))) throw error;
    }
  }
  throw new Error(`after ${ROUNDS_MAX} rounds of fetching, parts of the index are still missing`);
}

async function wasFetched({ dictionary, libraries, blocks }: PartSources, error: unknown): Promise<boolean> {
  if (error instanceof BlocksMissing && blocks !== undefined) await blocks(error);
  else if (error instanceof DictionaryMissing) {
    const name = error.dictionary;
    // German words come from a package of the user, which is not there: none are cut
    if (name === 'german') giveDictionary(name, readDictionary(name).tables);
    else readDictionaryFrom(name, await dictionary(name));
  } else if (error instanceof LibraryMissing && libraries[error.library] !== undefined)
    giveLibrary(error.library, await libraries[error.library]!());
  else return false;
  return true;
}
