/** Documents as they are stored: without parsing, payloads and selections. */
export { decodeDocument, encodeDocument } from './document-codec.js';
export { FieldNames } from './field-names.js';
export { foreignVectors } from './foreign-vectors.js';
export { floatText, JsonText, LosslessFloat, numberIn } from './lossless-number.js';
export type { JsonObject } from './parse-document.js';
