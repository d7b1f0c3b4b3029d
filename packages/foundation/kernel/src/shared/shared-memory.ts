/** Kernel memory that several threads of a process share: one heap, and the directory of the structures in it. */

import { HEAP_LOCK } from '../layout.js';
import { DirectoryWords, newDirectory } from './directory-words.js';

/** Plain data: it is passed to each thread at its start, together with the thread's number. */
export interface SharedKernelMemory {
  /** Tells the memories of a process apart: copies in other threads are other objects. */
  readonly id: number;
  readonly memory: { readonly buffer: ArrayBufferLike };
  readonly directory: SharedArrayBuffer;
}

/** The memory, and the number of a thread among those that share it: 1 to SHARING_THREADS_MAX, each of one running thread only. */
export interface SharedKernel extends SharedKernelMemory {
  readonly thread: number;
}

/** Threads that may share a memory: assembly/tables.ts has tables for this many. */
export const SHARING_THREADS_MAX = 255;
/** The tables of all threads, and the data of the compiler. */
const TABLE_BYTES = (SHARING_THREADS_MAX + 1) << 15;
const PAGE_BYTES = 1 << 16;
/** The part of the memory for small blocks: assembly/arena.ts. */
const SMALL_SHARE = 1 / 16;
/** A memory of less is not worth trying: 64 MiB. */
const PAGES_MIN = 2 * 1024;
/** The most pages that the compiled kernel allows. */
const PAGES_MAX = 0xffff;
/** Instead of the number of a thread in a lock: the thread has ended in the locked section (assembly/lock.ts). */
const LOST = -1;

let lastId = 0;

/**
 * A memory whose heap may have this many bytes. All its pages are there from the start, so that it never grows: views of it stay valid in all
 * threads, and V8 has nothing to count. Pages that were never written use address space only.
 * @throws RangeError when the system refuses it
 */
export function newSharedKernelMemory(heapBytesMax: number): SharedKernelMemory {
  const pages = Math.min(PAGES_MAX, Math.ceil((heapBytesMax + TABLE_BYTES) / (1 - SMALL_SHARE) / PAGE_BYTES));
  lastId += 1;
  return { id: lastId, memory: memoryOf(pages), directory: newDirectory() };
}

/** This many pages, or less where the system has no address space for them. */
function memoryOf(pages: number): WebAssembly.Memory {
  try {
    return new WebAssembly.Memory({ initial: pages, maximum: pages, shared: true });
  } catch (error) {
    if (pages < PAGES_MIN) throw error;
    return memoryOf(pages >> 1);
  }
}

/**
 * To be called when a thread has ended, in whatever way, before its number is given to another one. Its views end, so that what only they have used can
 * be freed; what it has allocated for itself is freed when the next thread with its number begins. False when it ended while it
 * changed the heap or the directory: nobody can use the memory any more, and calls of other threads that would change it fail.
 */
export function threadHasEnded({ memory, directory }: SharedKernelMemory, thread: number): boolean {
  const heap = new Int32Array(memory.buffer);
  const words = new DirectoryWords(directory);
  words.endThread(thread);
  const hadHeap = Atomics.compareExchange(heap, HEAP_LOCK >> 2, thread, LOST) === thread;
  const hadDirectory = words.lose(thread);
  if (!hadHeap && !hadDirectory) return true;
  Atomics.store(heap, HEAP_LOCK >> 2, LOST);
  words.lose();
  return false;
}
