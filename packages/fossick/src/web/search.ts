/** Only what searches static indexes: the smallest part of `fossick/web`. */

export { ApiError, type ErrorCode } from '@fossick/base';
export { DamagedFile } from '@fossick/storage/files';
export { type OpenStaticOptions, openStatic, type StaticIndex } from './open-static.js';
export type { PlatformOptions } from './platform.js';
export type { SearchableIndex } from './readable-index.js';
export { searchClient } from './search-client.js';
export { type Hooks, type SearchState, searchHook } from './search-hook.js';
