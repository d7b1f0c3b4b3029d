import { own } from '@fossick/base';

/** The actions of API keys, and which of them include which. */
const FAMILIES: Readonly<Record<string, readonly string[]>> = {
  documents: ['add', 'get', 'delete'],
  indexes: ['create', 'get', 'update', 'delete', 'swap', 'compact'],
  tasks: ['get', 'cancel', 'delete', 'compact'],
  settings: ['get', 'update'],
  stats: ['get'],
  metrics: ['get'],
  dumps: ['create'],
  snapshots: ['create'],
  chats: ['get', 'delete'],
  chatsSettings: ['get', 'update'],
  webhooks: ['get', 'create', 'update', 'delete'],
  dynamicSearchRules: ['get', 'create', 'update', 'delete'],
};
const SINGLE: readonly string[] = [
  'search',
  'version',
  'keys.create',
  'keys.get',
  'keys.update',
  'keys.delete',
  'experimental.get',
  'experimental.update',
  'export',
  'network.get',
  'network.update',
  'chatCompletions',
  'fields.post',
];
/** The actions of `*.get`: reading, but neither keys nor chat completions. */
const READING = new Set([
  ...['search', 'documents.get', 'indexes.get', 'tasks.get', 'settings.get', 'stats.get', 'metrics.get'],
  ...['version', 'experimental.get', 'network.get', 'chats.get', 'chatsSettings.get', 'webhooks.get', 'fields.post'],
  'dynamicSearchRules.get',
]);
const GLOBAL_FAMILIES = new Set([
  ...['metrics', 'version', 'keys', 'experimental', 'export', 'network', 'chats'],
  ...['chatsSettings', 'webhooks', 'dynamicSearchRules'],
]);
/**
 * Copies contain the whole instance, regardless of indexes: a key that is restricted to some indexes may make them only
 * if it lists them explicitly.
 */
const COPY_FAMILIES = new Set(['dumps', 'snapshots']);

/** Every name a key may list. */
export const ACTION_NAMES: readonly string[] = [
  '*',
  '*.get',
  ...SINGLE,
  ...Object.entries(FAMILIES).flatMap(([family, verbs]) => ['*', ...verbs].map((verb) => `${family}.${verb}`)),
];

/**
 * Whether a key that lists `granted` may do `action`. `documents.*` as the action means the whole family, and `*` what only keys of
 * everything may do.
 */
export function coversAction(granted: readonly string[], action: string): boolean {
  const family = action.slice(0, action.indexOf('.'));
  return granted.some(
    (name) =>
      name === '*' ||
      name === action ||
      (name === '*.get' && READING.has(action)) ||
      (family !== '' && name === `${family}.*` && own(FAMILIES, family) !== undefined),
  );
}

/** Whether the action concerns the whole instance, so that no key restricted to some indexes may have it. */
export function isGlobalAction(action: string): boolean {
  return action === 'tasks.compact' || GLOBAL_FAMILIES.has(action.split('.')[0]!);
}

/**
 * Whether a key that is restricted to some indexes and lists `granted` may do `action`: of actions on the whole
 * instance only copies, and these only if listed by name, because its `*` stands for actions on its indexes.
 */
export function coversWithinIndexes(granted: readonly string[], action: string): boolean {
  if (action === '*' || isGlobalAction(action)) return false;
  const isCopy = COPY_FAMILIES.has(action.split('.')[0]!);
  return coversAction(isCopy ? granted.filter((name) => name !== '*') : granted, action);
}

/** Whether an index pattern (a uid, or a prefix followed by `*`) matches `uid`. */
export function coversIndex(pattern: string, uid: string): boolean {
  return pattern.endsWith('*') ? uid.startsWith(pattern.slice(0, -1)) : pattern === uid;
}
