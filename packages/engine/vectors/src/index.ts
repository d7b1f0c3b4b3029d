export { GraphBuilder } from './build-graph.js';
export { cosineDistance, type DistanceTo, signDistance, signShare } from './distance.js';
export { decodeGraph, encodeGraph, type GraphFacts, graphFacts } from './graph-part.js';
export { orderByNearness, positionsIn } from './node-order.js';
export { type Candidates, type DocumentScope, GRAPH_VECTORS_MIN, scanIndex, VectorIndex } from './vector-index.js';
