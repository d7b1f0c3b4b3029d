/** Tells the threads that search what the process takes beside them: their bound is one for all of it. */
import { readFileSync } from 'node:fs';
import { reportProcess } from '@fossick/search-memory';

const EVERY_MS = 2_000;

/**
 * Looks every two seconds, as long as nothing is indexed: that has a limit of its own, and gives back what it took. Linux only; elsewhere nobody says what is
 * anonymous. Some 50 µs a look.
 */
export function watchProcessMemory(budget: SharedArrayBuffer, maxBytes: number, isIndexing: () => boolean): () => void {
  const timer = setInterval(() => {
    const bytes = isIndexing() ? undefined : anonymousBytes();
    if (bytes !== undefined) reportProcess(budget, bytes, maxBytes);
  }, EVERY_MS).unref();
  return () => clearInterval(timer);
}

/** Resident memory of the process that is of no file; undefined where the system does not tell. */
export function anonymousBytes(): number | undefined {
  try {
    const kib = /^RssAnon:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'latin1'))?.[1];
    return kib === undefined ? undefined : Number(kib) * 1024;
  } catch {
    return undefined;
  }
}
