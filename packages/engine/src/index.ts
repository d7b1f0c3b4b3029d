export type * from './settings/settings.js';
export { DEFAULT_SETTINGS } from './settings/settings.js';
export type * from './view/index-view.js';
export type * from './port.js';
export type * from './search/request.js';
export { facetSearch, search } from './search/search.js';
export { openEngineReader } from './reader.js';
export { openEngineWriter } from './writer.js';
export { BatchCanceled } from './indexing/index-transaction.js';
