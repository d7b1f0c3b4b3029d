import { DOCUMENTS_MESSAGES } from './documents.js';
import { FEATURES_MESSAGES } from './features.js';
import { INDEXES_MESSAGES } from './indexes.js';
import { KEYS_MESSAGES } from './keys.js';
import { NETWORK_MESSAGES } from './network.js';
import { REQUESTS_MESSAGES } from './requests.js';
import { SEARCHES_MESSAGES } from './searches.js';
import { TASKS_MESSAGES } from './tasks.js';

/** Texts of all codes with fixed texts. The others contain the message of a filter, a library or another instance. */
export const ERROR_MESSAGES = {
  ...KEYS_MESSAGES,
  ...REQUESTS_MESSAGES,
  ...INDEXES_MESSAGES,
  ...DOCUMENTS_MESSAGES,
  ...TASKS_MESSAGES,
  ...SEARCHES_MESSAGES,
  ...NETWORK_MESSAGES,
  ...FEATURES_MESSAGES,
};
