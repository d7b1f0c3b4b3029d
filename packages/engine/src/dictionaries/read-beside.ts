import { Worker } from 'node:worker_threads';
import { threadOptions } from '@fossick/base';
import {
  DictionaryMissing,
  type DictionaryName,
  giveDictionary,
  readDictionary,
  withoutReading,
} from '@fossick/tokenizer';

const SCRIPT = new URL('./dictionary-thread.js', import.meta.url);

/** Dictionaries that are being read; each is asked for once, however many wait. */
const underWay = new Map<DictionaryName, Promise<void>>();
/** Those that no other thread could read: this one does, and says what is wrong. */
const failed = new Set<DictionaryName>();

/**
 * Runs work of a thread that has others waiting, such as one that speaks HTTP. Where a text of it is in a language whose dictionary this
 * thread does not have, a thread of its own reads that (0.1 to 1 s), and the work is begun anew with it: so work is to leave nothing behind
 * when it throws. Of work that answers a promise this holds up to its first pause.
 */
export function withDictionariesBeside<T>(work: () => T | Promise<T>): T | Promise<T> {
  const again = (error: unknown): Promise<T> => {
    if (!(error instanceof DictionaryMissing)) throw error;
    return readBeside(error.dictionary).then(() => withDictionariesBeside(work));
  };
  try {
    const result = failed.size > 0 ? work() : withoutReading(work);
    return result instanceof Promise ? result.catch(again) : result;
  } catch (error) {
    return again(error);
  }
}

/**
 * The same in a thread that may wait: it reads the dictionary itself, and then begins anew, so that no search pays for it out of the time
 * it has.
 */
export function withDictionariesFirst<T>(work: () => T): T {
  for (;;)
    try {
      return withoutReading(work);
    } catch (error) {
      if (!(error instanceof DictionaryMissing)) throw error;
      giveDictionary(error.dictionary, readDictionary(error.dictionary).tables);
    }
}

function readBeside(name: DictionaryName): Promise<void> {
  let reading = underWay.get(name);
  if (reading === undefined) {
    reading = tablesOf(name)
      .then(
        (tables) => giveDictionary(name, tables),
        () => void failed.add(name),
      )
      .finally(() => underWay.delete(name));
    underWay.set(name, reading);
  }
  return reading;
}

function tablesOf(name: DictionaryName): Promise<object> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(SCRIPT, { workerData: name, ...threadOptions() });
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.once('exit', () => reject(new Error(`the thread that read the dictionary \`${name}\` ended`)));
  });
}
