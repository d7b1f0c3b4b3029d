export { FolderObjects } from './folder-objects.js';
export { MemoryObjects } from './memory-objects.js';
export { bytesOf, checkKey, jsonOf } from './object-bytes.js';
export type { ObjectInfo, ObjectRange, ObjectStore, PutOptions } from './port.js';
export { probeObjects } from './probe.js';
export { MissingStoreError, ObjectStoreError, UnsafeStoreError } from './store-errors.js';
