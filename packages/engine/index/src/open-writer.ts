import { readManifest, rowsOf } from '@fossick/format';
import { MergeAccounts } from '@fossick/kernel/memory';
import { Catalogue } from './catalogue/catalogue.js';
import { compactIndex } from './compact-index.js';
import { Extraction } from './extraction/extraction.js';
import { WaitCounter } from './extraction/writer-waits.js';
import { IndexWriter } from './index-writer.js';
import { MergeInThread } from './merging/merge-in-thread.js';
import { Merger } from './merging/merger.js';
import { PAYLOAD_FILES } from './operations/payload-files.js';
import type { EngineWriter, OpenEngineOptions } from './port.js';
import { openUndoFile } from './transaction/undo-file.js';
import { hasOlderWords } from './transaction/word-rules.js';

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
