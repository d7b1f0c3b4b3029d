import { closeSync, openSync } from 'node:fs';
import { devNull } from 'node:os';

/**
 * Opening a store takes at most five at one instant; the rest is for other threads that do the same, and for
 * connections that are accepted meanwhile.
 */
export const SPARE_DESCRIPTORS = 24;

/**
 * Checks that opening a store cannot run out of file descriptors: when LMDB's opening fails halfway, lmdb-js uses
 * memory that it has freed, which ends the process. Throws with `code` EMFILE or ENFILE. Some 50 system calls.
 */
export function checkSpareDescriptors(): void {
  const spares: number[] = [];
  try {
    while (spares.length < SPARE_DESCRIPTORS) spares.push(openSync(devNull, 'r'));
  } finally {
    for (const descriptor of spares) closeSync(descriptor);
  }
}
