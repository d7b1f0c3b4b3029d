export { ByteFields, fieldSize, numberSize } from './byte-fields.js';
export { applyChanges } from './changes/change-set.js';
export { decodeChanges, encodeChanges } from './changes/changes-codec.js';
