export { Guard } from './access.js';
export { type Access, OPEN_ACCESS, requireIndex } from './access-to.js';
export { type ApiKey, apiKeyToJson } from './api-key.js';
export { callerHeaders, withinCaller } from './caller-scope.js';
export { allowsIndex, type IndexScope, indexAccess, scopeFilter, WHOLE_SCOPE } from './index-scope.js';
export { KeyStore, replaceKeys, storedKeys } from './key-store.js';
