export { FolderObjects } from './folder-objects.js';
export { MemoryObjects } from './memory-objects.js';
export { bytesOf, checkKey, jsonOf } from './object-bytes.js';
export {
  MissingStoreError,
  type ObjectInfo,
  type ObjectRange,
  type ObjectStore,
  ObjectStoreError,
  type PutOptions,
  UnsafeStoreError,
} from './port.js';
export { probeObjects } from './probe.js';
