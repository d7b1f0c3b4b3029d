export { normalizeStopWord } from './normalize.js';
export type * from './port.js';
export {
  DictionaryMissing,
  type DictionaryName,
  giveDictionary,
  readDictionary,
  readDictionaryFrom,
  withoutReading,
} from './segmenting/dictionary.js';
export { createTokenizer } from './tokenizer.js';
export { normalizeFacet, normalizeLossy } from './whole-text.js';
