import { MultiSelect, TagsInput, TextInput } from '@mantine/core';
import { useState } from 'react';
import { call } from '../../api/client.js';
import { useChange, useIndexes } from '../../api/queries.js';
import type { ApiKey } from '../../api/types.js';
import { FormDialog } from '../../parts/form-dialog.js';
import { typed } from '../../parts/inputs/typed.js';
import { notify } from '../../parts/notify.js';

/** The actions of keys, grouped for selection. */
const ACTION_GROUPS: readonly { readonly group: string; readonly items: readonly string[] }[] = [
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

interface Props {
  /** The key to change; null for a new one. */
  readonly edited: ApiKey | null;
  readonly onClose: () => void;
}

/** The rights of a new key, their indexes and their end. */
interface KeyRights {
  readonly actions: string[];
  readonly indexes: string[];
  /** A day, YYYY-MM-DD; empty for a key that never expires. */
  readonly expiry: string;
}

/** Creates a key, or renames one: its actions cannot be changed later. */
export function KeyDialog({ edited, onClose }: Props) {
  const [name, setName] = useState(edited?.name ?? '');
  const [description, setDescription] = useState(edited?.description ?? '');
  const [rights, setRights] = useState<KeyRights>({ actions: ['search'], indexes: ['*'], expiry: '' });
  const named = { name: name === '' ? null : name, description: description === '' ? null : description };
  const { actions, indexes, expiry } = rights;
  const save = useChange(
    () =>
      edited === null
        ? call<ApiKey>('POST', '/keys', {
            body: { ...named, actions, indexes, expiresAt: expiry === '' ? null : expiry },
          })
        : call<ApiKey>('PATCH', `/keys/${edited.uid}`, { body: named }),
    () => {
      notify(edited === null ? 'The key is made' : 'The key is changed');
      onClose();
    },
  );
  const isReady = edited !== null || (actions.length > 0 && indexes.length > 0);
  return (
    <FormDialog
      title={edited === null ? 'New key' : 'Change key'}
      size="lg"
      onClose={onClose}
      write={save}
      button={edited === null ? 'Make the key' : 'Save'}
      isReady={isReady}
    >
      <TextInput label="Name" {...typed(name, setName)} data-autofocus />
      <TextInput label="Description" placeholder="Who uses it, and for what" {...typed(description, setDescription)} />
      {edited === null && (
        <RightsInputs rights={rights} onChange={(change) => setRights((before) => ({ ...before, ...change }))} />
      )}
    </FormDialog>
  );
}

function RightsInputs({
  rights: { actions, indexes, expiry },
  onChange,
}: {
  readonly rights: KeyRights;
  readonly onChange: (change: Partial<KeyRights>) => void;
}) {
  const uids = useIndexes().data?.results.map(({ uid }) => uid) ?? [];
  return (
    <>
      <MultiSelect
        label="Actions"
        description="What the key may do. A page that visitors see needs no more than search."
        data={ACTION_GROUPS.map(({ group, items }) => ({ group, items: [...items] }))}
        value={actions}
        onChange={(next) => onChange({ actions: next })}
        searchable
        hidePickedOptions
        required
      />
      <TagsInput
        label="Indexes"
        description="* for all of them, also those to come; logs-* for those that begin so"
        data={['*', ...uids]}
        value={indexes}
        onChange={(next) => onChange({ indexes: next })}
        required
      />
      <TextInput
        label="Expires"
        description="At the beginning of this day; empty for never"
        type="date"
        {...typed(expiry, (expiry) => onChange({ expiry }))}
        maw={220}
      />
    </>
  );
}
