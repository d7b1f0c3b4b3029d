/** Documents as they are stored: without parsing, payloads and selections. */
export { decodeDocument } from './document-codec.js';
export { FieldNames } from './fields/field-names.js';
export { foreignVectors } from './fields/field-order.js';
export type { JsonObject } from './json/json-object.js';
export {
  compareExact,
  type ExactNumber,
  exactIn,
  exactOf,
  floatText,
  isJsonObject,
  isWithin64Bits,
  JsonText,
  LosslessFloat,
  numberIn,
  WIDE_FROM,
  withDigits,
} from './json/lossless-number.js';
