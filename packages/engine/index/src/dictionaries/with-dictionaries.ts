import { reportOf } from '@fossick/threads';
import {
  DictionaryMissing,
  type DictionaryName,
  giveDictionary,
  readDictionary,
  withoutReading,
} from '@fossick/tokenizer';

const SCRIPT = new URL('./dictionary-thread.js', import.meta.url);

/** Dictionaries being read; each is requested once, however many callers wait. */
const pendingReads = new Map<DictionaryName, Promise<void>>();
/** Dictionaries that no other thread could read: this thread reads them, and throws the error. */
const failed = new Set<DictionaryName>();

/**
 * Runs work of a thread that others depend on, such as one that serves HTTP. If a text is in a language whose
 * dictionary this thread lacks, another thread reads it (0.1 to 1 s), and the work is repeated with it: so work must
 * have no effect when it throws. For asynchronous work this applies up to its first pause. Unless it `mayRead`, DictionaryMissing is thrown.
 */
export function withDictionariesAsync<T>(work: () => T | Promise<T>, mayRead = true): T | Promise<T> {
  const again = (error: unknown): Promise<T> => {
    if (!(error instanceof DictionaryMissing && mayRead)) throw error;
    return readInThread(error.dictionary).then(() => withDictionariesAsync(work));
  };
  try {
    const result = failed.size > 0 ? work() : withoutReading(work);
    return result instanceof Promise ? result.catch(again) : result;
  } catch (error) {
    return again(error);
  }
}

/**
 * The same in a thread that may block: it reads the dictionary itself and then repeats the work, so that no search
 * loses its own time to it.
 */
export function withDictionariesSync<T>(work: () => T, mayRead = true): T {
  for (;;)
    try {
      return withoutReading(work);
    } catch (error) {
      if (!(error instanceof DictionaryMissing && mayRead)) throw error;
      giveDictionary(error.dictionary, readDictionary(error.dictionary).tables);
    }
}

function readInThread(name: DictionaryName): Promise<void> {
  let reading = pendingReads.get(name);
  if (reading === undefined) {
    reading = reportOf<object>(SCRIPT, name)
      .then(
        (tables) => giveDictionary(name, tables),
        () => void failed.add(name),
      )
      .finally(() => pendingReads.delete(name));
    pendingReads.set(name, reading);
  }
  return reading;
}
