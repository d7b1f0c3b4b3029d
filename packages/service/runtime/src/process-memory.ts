/** Reports the memory of the process in addition to search threads to these: the limit covers all of it. */
import { readFileSync } from 'node:fs';
import { reportProcess } from '@fossick/kernel/memory';

const EVERY_MS = 2_000;

/**
 * Reads it every two seconds while nothing is indexed: indexing has a limit of its own, and frees its memory. Linux
 * only; elsewhere anonymous memory is unknown. Some 50 µs each time.
 */
export function watchProcessMemory(budget: SharedArrayBuffer, maxBytes: number, isIndexing: () => boolean): () => void {
  const timer = setInterval(() => {
    const bytes = isIndexing() ? undefined : anonymousBytes();
    if (bytes !== undefined) reportProcess(budget, bytes, maxBytes);
  }, EVERY_MS).unref();
  return () => clearInterval(timer);
}

/** Resident memory of the process without mapped files; undefined where the system does not report it. */
function anonymousBytes(): number | undefined {
  try {
    const kib = /^RssAnon:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'latin1'))?.[1];
    return kib === undefined ? undefined : Number(kib) * 1024;
  } catch {
    return undefined;
  }
}
