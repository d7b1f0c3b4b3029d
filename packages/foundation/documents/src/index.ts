export { decodeDocument, decodeFields, encodeDocument } from './document-codec.js';
export { externalIdOf, idText, inferPrimaryKey } from './document-id.js';
export { documentText, fieldTexts } from './document-text.js';
export { FieldCounter } from './fields/field-counter.js';
export { FieldNames } from './fields/field-names.js';
export { foreignVectors, inFieldOrder, VECTORS_FIELD } from './fields/field-order.js';
export { NamedParents } from './fields/named-parents.js';
export { pruneFields, Selectors, selectFields } from './fields/select-fields.js';
export { visitValuesAt } from './fields/values-at.js';
export type { JsonObject } from './json/json-object.js';
export { JsonMeter, JsonScanner } from './json/json-scanner.js';
export {
  compareExact,
  type ExactNumber,
  exactIn,
  exactOf,
  floatOf,
  floatText,
  isJsonObject,
  isWithin64Bits,
  JsonText,
  LosslessFloat,
  numberIn,
  toJsonText,
  WIDE_FROM,
  withDigits,
} from './json/lossless-number.js';
export { orderedEntries, orderedRecord } from './json/ordered-record.js';
export { isPlainJson, parseDocument, parseWithIntegers } from './json/parse-document.js';
export type {
  AdditionOperation,
  DeletionOperation,
  DocumentOperation,
  EditionOperation,
  IdFile,
} from './operation.js';
