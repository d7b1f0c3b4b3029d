/** Documents as they are stored: without parsing, payloads and selections. */
export { decodeDocument } from './document-codec.js';
export { FieldNames } from './fields/field-names.js';
export { foreignVectors } from './foreign-vectors.js';
export {
  compareExact,
  type ExactNumber,
  exactIn,
  exactOf,
  isWithin64Bits,
  WIDE_FROM,
  withDigits,
} from './json/exact-number.js';
export type { JsonObject } from './json/json-object.js';
export { floatText, JsonText, LosslessFloat, numberIn } from './json/lossless-number.js';
