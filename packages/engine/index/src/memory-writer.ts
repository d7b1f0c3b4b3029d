/** Changes of indexes in one thread, on every platform: for programs that also write. */

import { apiError } from '@fossick/base';
import type { MemoryCatalogue } from './catalogue/memory-catalogue.js';
import { WaitCounter } from './extraction/writer-waits.js';
import { IndexWriter } from './index-writer.js';
import { Merger } from './merging/merger.js';
import type { EngineWriter } from './port.js';

export type { BatchOperation, OperationOutcome } from './operations/operation.js';
export type { EngineWriter } from './port.js';
export type { WriteContext } from './transaction/write-context.js';

/** Limits of a writer, in bytes. */
export interface MemoryWriterOptions {
  readonly maxSearchBytes: number;
  readonly maxIndexingBytes: number;
}

/** Documents that operations refer to, by the names of their payloads. */
export type GivenPayloads = ReadonlyMap<string, readonly string[]>;

/** Changes the indexes of a catalogue in this thread. @param payloads lines of JSON: what the operations name */
export function memoryWriter(
  catalogue: MemoryCatalogue,
  payloads: GivenPayloads,
  { maxSearchBytes, maxIndexingBytes }: MemoryWriterOptions,
): EngineWriter {
  const counter = new WaitCounter();
  return new IndexWriter({
    catalogue,
    merger: new Merger({ maxIndexingBytes, maxSearchBytes }),
    payloads: {
      linesOf(name) {
        const lines = payloads.get(name);
        if (lines === undefined) throw apiError('internal', 'payloadLost');
        return lines;
      },
      bytesOf: (name) => payloads.get(name)?.reduce((sum, line) => sum + line.length, 0) ?? 0,
    },
    maxSearchBytes,
    waits: () => counter.read(),
    // a store in memory has no free pages
    compact: async (uid) => {
      const { diskBytes } = catalogue.sizeOf(catalogue.existing(uid));
      return { beforeBytes: diskBytes, afterBytes: diskBytes };
    },
  });
}
