/** Keys, tokens and what they allow: the thread that runs tasks does not load it. */

export { Guard } from './access/access.js';
export { type Access, namesHidden, OPEN_ACCESS, requireIndex } from './access/access-to.js';
export { type ApiKey, apiKeyToJson } from './access/api-key.js';
export { callerHeaders, scopeOfTask, storedScope, withinCaller } from './access/caller-scope.js';
export { type GuardedIndex, guardedUid } from './access/guarded-index.js';
export {
  allowsIndex,
  hiddenIndexes,
  type IndexScope,
  indexAccess,
  scopeFilter,
  WHOLE_SCOPE,
} from './access/index-scope.js';
export { KeyStore, replaceKeys, storedKeys } from './access/key-store.js';
