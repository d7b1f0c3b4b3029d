import { Catalogue } from './catalogue/catalogue.js';
import { CatalogueReader } from './engine-reader.js';
import type { EngineReader, OpenEngineOptions } from './port.js';

/** Opens the indexes of a root folder for reading, in any thread; several readers and one writer may have them open. */
export function openEngineReader(options: OpenEngineOptions): EngineReader {
  return new CatalogueReader(options, (users) => new Catalogue(options, { ...users, mayCreate: false }));
}
