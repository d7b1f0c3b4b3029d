/** Settings and documents in the form of the API, for every platform: no thread, network or other instance is loaded. */

export { shownDocument } from './parts/shown-document.js';
export { readSettings, settingsTask, shownSettings } from './settings/settings-task.js';
