export { hasVectorGraph, vectorMergeBytes } from './merging/merge-memory.js';
export { mergeVectorTables } from './merging/merge-vectors.js';
export { NearestDocuments, type VectorTarget } from './reading/nearest.js';
export { openVectors, VectorReader } from './reading/vector-reader.js';
export {
  checkVectors,
  countEmbeddings,
  givenVectors,
  isNewEntry,
  isVectorMap,
  keepVectors,
  mergeVectors,
  quantizedNames,
  type StoredVectors,
  shownVectors,
  singlePrecision,
  type VectorRules,
  type VectorsCheck,
  vectorRulesOf,
  withoutGenerated,
} from './rows/document-vectors.js';
