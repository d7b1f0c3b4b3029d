export { DictionaryMissing, type DictionaryName, withoutReading } from './dictionaries/dictionary.js';
export type * from './port.js';
export { giveDictionary, readDictionary, readDictionaryFrom } from './segmenting/dictionaries.js';
export { createTokenizer, WORD_RULES } from './tokenizer.js';
export { normalizeFacet, normalizeLossy } from './whole-text.js';
