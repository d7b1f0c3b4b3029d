/** Settings, documents and several searches in the form of the API, for every platform: no thread, network or other instance is loaded. */

export { checkFederatedQuery, checkSeparateQuery } from './answers/federation-misuse.js';
export { paginationOf, rangeOf } from './parts/hit-range.js';
export { readSettings, settingsTask, shownSettings } from './settings/settings-task.js';
