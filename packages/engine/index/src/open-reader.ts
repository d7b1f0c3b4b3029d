import { createSharedKernel } from '@fossick/kernel/shared';
import { Catalogue } from './catalogue/catalogue.js';
import { CatalogueReader, type StoreUsers } from './engine-reader.js';
import type { EngineReader, OpenEngineOptions } from './port.js';

/** Opens the indexes of a root folder for reading, in any thread; several readers and one writer may have them open. */
export function openEngineReader(options: OpenEngineOptions): EngineReader {
  // a shared memory that is replaced must become garbage: nothing else keeps it
  const rest = { ...options, sharedKernel: undefined };
  const catalogueOf = (users: StoreUsers) => new Catalogue(rest, { ...users, mayCreate: false });
  return new CatalogueReader(options, catalogueOf, createSharedKernel);
}
