import { closeSync, openSync } from 'node:fs';
import { devNull } from 'node:os';

/**
 * Opening a store takes five at most at one instant; the rest is for other threads that do the same, and for connections that are
 * accepted meanwhile.
 */
export const SPARE_DESCRIPTORS = 24;

/**
 * Sees to it that opening a store does not run out of file descriptors: lmdb-js uses memory it has freed when LMDB's own opening fails
 * in its middle, which ends the process. Throws with `code` EMFILE or ENFILE. Some 50 system calls.
 */
export function checkSpareDescriptors(): void {
  const spares: number[] = [];
  try {
    while (spares.length < SPARE_DESCRIPTORS) spares.push(openSync(devNull, 'r'));
  } finally {
    for (const descriptor of spares) closeSync(descriptor);
  }
}
