/** The engine without Node.js: in pages, workers, at the edge, in Deno and Bun. */

export { ApiError, type ErrorCode } from '@fossick/base';
export { DamagedFile } from '@fossick/storage/files';
export type { FederatedAnswer, FederatedHit, Federation, MultiSearch, Query, QueryAnswer } from '../multi-search.js';
export { createEngine, type WebEngine, type WebEngineOptions } from './engine.js';
export { type OpenStaticOptions, openStatic, type StaticIndex } from './open-static.js';
export type { Traffic } from './parts/static-files.js';
export type { PlatformOptions } from './platform.js';
export type { ReadableIndex, SearchableIndex } from './readable-index.js';
export { searchClient } from './search-client.js';
export { type Hooks, type SearchState, searchHook } from './search-hook.js';
export type { WebIndexStats, WritableIndex } from './writable-index.js';
