/** The actions of keys, grouped for selection. */
export const ACTION_GROUPS: readonly { readonly group: string; readonly items: readonly string[] }[] = [
  { group: 'Everything', items: ['*', '*.get'] },
  { group: 'Searching', items: ['search', 'chatCompletions'] },
  { group: 'Documents', items: ['documents.*', 'documents.add', 'documents.get', 'documents.delete'] },
  {
    group: 'Indexes',
    items: [
      ...[
        'indexes.*',
        'indexes.create',
        'indexes.get',
        'indexes.update',
        'indexes.delete',
        'indexes.swap',
        'indexes.compact',
      ],
      'fields.post',
    ],
  },
  { group: 'Settings', items: ['settings.*', 'settings.get', 'settings.update'] },
  { group: 'Tasks', items: ['tasks.*', 'tasks.get', 'tasks.cancel', 'tasks.delete', 'tasks.compact'] },
  {
    group: 'Server',
    items: [
      ...[
        'stats.*',
        'stats.get',
        'metrics.*',
        'metrics.get',
        'version',
        'dumps.*',
        'dumps.create',
        'snapshots.*',
        'snapshots.create',
      ],
      ...['export', 'experimental.get', 'experimental.update', 'network.get', 'network.update'],
      ...['webhooks.*', 'webhooks.get', 'webhooks.create', 'webhooks.update', 'webhooks.delete'],
      ...['dynamicSearchRules.*', 'dynamicSearchRules.get', 'dynamicSearchRules.create', 'dynamicSearchRules.update'],
      'dynamicSearchRules.delete',
    ],
  },
  { group: 'Keys', items: ['keys.get', 'keys.create', 'keys.update', 'keys.delete'] },
  {
    group: 'Chats',
    items: ['chats.*', 'chats.get', 'chats.delete', 'chatsSettings.*', 'chatsSettings.get', 'chatsSettings.update'],
  },
];
