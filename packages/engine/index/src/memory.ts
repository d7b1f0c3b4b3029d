/** Indexes in one thread, on every platform: nothing of LMDB, threads or files is loaded. */

import type { MemoryCatalogue } from './catalogue/memory-catalogue.js';
import { CatalogueReader } from './engine-reader.js';
import type { EngineReader, ReaderOptions } from './port.js';

export { MemoryCatalogue } from './catalogue/memory-catalogue.js';
export type { EngineReader, IndexInfo } from './port.js';
export { WHOLE_ACCESS } from './view/index-access.js';

/** Reads the indexes of a catalogue in this thread. */
export function memoryReader(catalogue: MemoryCatalogue, options: ReaderOptions): EngineReader {
  return new CatalogueReader(options, () => catalogue);
}
