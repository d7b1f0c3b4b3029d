import { resolve } from 'node:path';
import { type ApiError, apiError } from '@fossick/base';
import { BroadcastChannel } from '@fossick/threads';

/** Between the threads of a process; a message is the folder of a store. */
const CHANNEL = 'fossick.lost-stores';
/** Interval at which a thread tries to open its lost stores anew, in milliseconds. */
const RETRY_MS = 20;

/** A handle whose environment can be closed and opened anew. */
export interface RenewableStore {
  readonly folder: string;
  readonly isLost: boolean;
  /** Throws as long as this thread is reading it, or another thread has it open. */
  renew(): void;
}

/** Of this thread, by absolute path. */
const handles = new Map<string, Set<RenewableStore>>();
const lost = new Set<RenewableStore>();
let channel: BroadcastChannel | undefined;
let timer: NodeJS.Timeout | undefined;

/**
 * Whether LMDB refuses an environment: the page that says where the last commit is could not be written, so LMDB
 * does not know what the disk holds of it. All threads of the process share the environment, and everything that is
 * asked of it fails until each of them has closed it. lmdb-js reports this error by its words, with the number of
 * another one; and it appends them to those of the error before, in a buffer that holds three (mdb_strerror of lmdb
 * 3.5.6): a thread that has met it must ask for nothing more.
 */
export function isRefused(error: unknown): boolean {
  return error instanceof Error && error.message.includes('MDB_PANIC');
}

/** The error of a store that is lost until all threads have opened it anew. */
export function lostError(folder: string): ApiError {
  return apiError('store_unavailable', folder);
}

/** From now on the handle is renewed when any thread loses its environment. */
export function watchStore(handle: RenewableStore): void {
  if (channel === undefined) {
    channel = new BroadcastChannel(CHANNEL);
    channel.onmessage = (event) => renewSoon(String((event as { readonly data: unknown }).data));
    channel.unref();
  }
  const path = resolve(handle.folder);
  const known = handles.get(path);
  if (known === undefined) handles.set(path, new Set([handle]));
  else known.add(handle);
}

export function unwatchStore(handle: RenewableStore): void {
  const path = resolve(handle.folder);
  const known = handles.get(path);
  known?.delete(handle);
  if (known?.size === 0) handles.delete(path);
  lost.delete(handle);
}

/** Tells all threads that a store is lost, each of which opens it anew as soon as nobody reads it. */
export function announceLoss(folder: string): void {
  const path = resolve(folder);
  channel?.postMessage(path);
  renewSoon(path);
}

/** Stores of this thread that are lost and not yet opened anew. O(1) */
export function lostStoreCount(): number {
  return lost.size;
}

/**
 * Opens the lost stores of this thread anew, as its timer does. For a thread that is blocked: the others cannot open a
 * store anew as long as it has the lost one.
 */
export function renewLostStores(): void {
  for (const path of handles.keys()) renewSoon(path);
  if (lost.size > 0) renewLost();
}

function renewSoon(path: string): void {
  for (const handle of handles.get(path) ?? []) if (handle.isLost) lost.add(handle);
  // a process that waits for nothing else may end
  if (lost.size > 0) timer ??= setInterval(renewLost, RETRY_MS).unref();
}

function renewLost(): void {
  for (const handle of lost) {
    try {
      if (handle.isLost) handle.renew();
      lost.delete(handle);
    } catch {
      // still in use; anyone who asks for it gets the error
    }
  }
  if (lost.size > 0) return;
  clearInterval(timer);
  timer = undefined;
}
