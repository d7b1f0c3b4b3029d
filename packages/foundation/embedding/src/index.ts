export { BlockingVectors } from './blocking-vectors.js';
export { embedderLimits, type SharedLimits } from './embedder-configuration.js';
export { QueryVectors } from './query-vectors.js';
