import { Catalogue } from './catalogue/catalogue.js';
import { CatalogueReader, type StoreUsers } from './engine-reader.js';
import { OWN_KERNELS } from './kernels/kernel-source.js';
import { SharedKernels } from './kernels/shared-kernels.js';
import type { EngineReader, OpenEngineOptions } from './port.js';

/** Opens the indexes of a root folder for reading, in any thread; several readers and one writer may have them open. */
export function openEngineReader(options: OpenEngineOptions): EngineReader {
  // a shared memory that is replaced must become garbage: nothing else keeps it
  const { sharedKernel, ...rest } = options;
  const catalogueOf = (users: StoreUsers) => new Catalogue(rest, { ...users, mayCreate: false });
  const source = sharedKernel === undefined ? OWN_KERNELS : new SharedKernels(sharedKernel);
  return new CatalogueReader(rest, catalogueOf, source);
}
