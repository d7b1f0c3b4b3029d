import { closeSync, existsSync, openSync, readSync, rmSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { apiError, faultPoint } from '@fossick/base';
import { payloadLines } from '@fossick/documents/payloads';
import { readManifest, rowsOf } from '@fossick/format';
import { MergeAccounts } from '@fossick/kernel/memory';
import { Catalogue } from './catalogue/catalogue.js';
import { deleteMoreObsolete } from './documents/obsolete-segments.js';
import { Extraction } from './extraction/extraction.js';
import { WaitCounter } from './extraction/writer-waits.js';
import { IndexWriter } from './index-writer.js';
import { MergeInThread } from './merging/merge-in-thread.js';
import { Merger } from './merging/merger.js';
import type { Payloads } from './operations/payloads.js';
import type { EngineWriter, OpenEngineOptions } from './port.js';
import { removeUncommitted } from './transaction/uncommitted-rows.js';
import type { UndoFile } from './transaction/undo-log.js';
import { hasOlderWords } from './transaction/word-rules.js';

/** Payloads in files of NDJSON. One was complete when its task was accepted: a missing file was removed since. */
const PAYLOAD_FILES: Payloads = {
  linesOf(file) {
    if (existsSync(file)) return payloadLines(file);
    throw apiError('internal', 'payloadLost');
  },
  bytesOf: (file) => statSync(file, { throwIfNoEntry: false })?.size ?? 0,
};

/** Opens the indexes of a root folder for writing. Only one writer at a time; it owns the folder's files. */
export function openEngineWriter(options: OpenEngineOptions): EngineWriter {
  const {
    maxSearchBytes,
    vectorMaker,
    sharedBudget,
    replication,
    maxIndexingBytes = Number.POSITIVE_INFINITY,
  } = options;
  const isThreaded = options.extractsInThread === true;
  const counter = new WaitCounter();
  const merger: Merger = new Merger({
    maxIndexingBytes,
    mergeInThread: isThreaded
      ? (folder, plan, account) => new MergeInThread(catalogue.path(folder), plan, account)
      : undefined,
    accounts: sharedBudget && new MergeAccounts(sharedBudget.buffer, maxSearchBytes),
    maxSearchBytes,
  });
  const catalogue = new Catalogue(
    options,
    { isInUse: (folder: string) => merger.isRunning(folder), onClose: () => undefined },
    (waitedMs) => counter.committed(waitedMs),
    (store) => merger.isDue(store) || hasOlderWords(readManifest(rowsOf(store))),
  );
  return new IndexWriter({
    catalogue,
    merger,
    payloads: PAYLOAD_FILES,
    maxSearchBytes,
    vectorMaker,
    extraction: isThreaded ? new Extraction(counter) : undefined,
    undoFileOf: (folder) => () => openUndoFile(catalogue.path(folder)),
    waits: () => counter.read(),
    compact: (uid) => compactIndex(catalogue, merger, uid, replication),
  });
}

/** Copies an index to a new file without free pages, which then takes its place. */
async function compactIndex(
  catalogue: Catalogue,
  merger: Merger,
  uid: string,
  replication: OpenEngineOptions['replication'],
): Promise<{ readonly beforeBytes: number; readonly afterBytes: number }> {
  const entry = catalogue.existing(uid);
  const before = catalogue.store(entry.folder);
  removeUncommitted(before);
  merger.abandon(entry.folder, before);
  const beforeBytes = before.size().diskBytes;
  // rows of dropped segments would be copied needlessly
  while (before.transaction((rows) => deleteMoreObsolete(rows)));
  const folder = catalogue.newFolder();
  await before.copyTo(catalogue.path(folder));
  replication?.copied(entry.folder, folder);
  const afterBytes = catalogue.store(folder).size().diskBytes;
  catalogue.summarise(folder);
  faultPoint('copy.made', 'index');
  catalogue.abandon(entry.folder);
  catalogue.change((rows) => rows.put(uid, { ...entry, folder }));
  faultPoint('copy.adopted', 'index');
  await catalogue.forget(entry.folder);
  catalogue.remove(entry.folder);
  return { beforeBytes, afterBytes };
}

/** Opens an unlinked file in the folder, which vanishes with the process. Its methods throw with the system's `code`. */
export function openUndoFile(folder: string): UndoFile {
  const path = join(folder, `undo-${process.pid}`);
  const file = openSync(path, 'w+');
  rmSync(path);
  let byteCount = 0;
  return {
    append(piece) {
      for (let at = 0; at < piece.length; ) {
        const written = writeSync(file, piece, at, piece.length - at, byteCount);
        at += written;
        byteCount += written;
      }
    },
    read(from, length) {
      const bytes = new Uint8Array(length);
      for (let at = 0; at < length; ) {
        const count = readSync(file, bytes, at, length - at, from + at);
        if (count === 0) throw new Error('the file of what is to be undone ends too early');
        at += count;
      }
      return bytes;
    },
    close: () => closeSync(file),
  };
}
