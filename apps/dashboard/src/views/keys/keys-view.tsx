import { Badge, Button, Code, CopyButton, Group, Stack, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { ApiFault, call } from '../../api/client.js';
import { useChange, useKeys } from '../../api/queries.js';
import type { ApiKey } from '../../api/types.js';
import { ConfirmButton } from '../../parts/confirm-button.js';
import { EmptyNote } from '../../parts/empty-note.js';
import { FaultNote } from '../../parts/fault-note.js';
import { formatAgo, formatDate } from '../../parts/figures/numbers.js';
import { Icon } from '../../parts/icon.js';
import { notify, notifyFault } from '../../parts/notify.js';
import { ViewHead } from '../../parts/view-head.js';
import { KeyDialog } from './key-dialogs.js';
import './keys.css';

/** The API keys: creating, renaming, copying and deleting. */
export function KeysView() {
  const [dialog, setDialog] = useState<{ readonly edited: ApiKey | null } | null>(null);
  const { data, error } = useKeys();
  if (data === undefined && error instanceof ApiFault && error.code === 'missing_master_key') return <NoMasterKey />;
  return (
    <>
      <ViewHead title="API keys" lead="Give each program a key of its own, with no more rights than it needs.">
        <Button leftSection={<Icon name="plus" size={16} />} onClick={() => setDialog({ edited: null })}>
          New key
        </Button>
      </ViewHead>
      {error !== null && <FaultNote fault={error} />}
      <Stack gap="sm">
        {data?.results.map((key) => (
          <KeyCard key={key.uid} apiKey={key} onEdit={() => setDialog({ edited: key })} />
        ))}
      </Stack>
      {dialog !== null && <KeyDialog edited={dialog.edited} onClose={() => setDialog(null)} />}
    </>
  );
}

function NoMasterKey() {
  return (
    <>
      <ViewHead title="API keys" />
      <div className="panel pad">
        <EmptyNote icon="key-round" title="Key management needs --master-key">
          Without a master key the server has no API keys, and everyone who can reach it can use it. To use keys,
          restart the server with a master key of at least 16 bytes:
          <Code block mt="sm">
            fossick --master-key A_LONG_SECRET
          </Code>
        </EmptyNote>
      </div>
    </>
  );
}

function KeyCard({ apiKey, onEdit }: { readonly apiKey: ApiKey; readonly onEdit: () => void }) {
  const { uid, key, description } = apiKey;
  const title = apiKey.name ?? 'Without a name';
  return (
    <article className="panel key">
      <Group justify="space-between" align="flex-start" gap="sm">
        <div>
          <Title order={2}>{title}</Title>
          {description !== null && (
            <Text size="sm" c="dimmed">
              {description}
            </Text>
          )}
        </div>
        <Group gap="xs">
          <Button size="xs" variant="default" onClick={onEdit} aria-label={`Rename ${title}`}>
            Rename
          </Button>
          <DeleteKey uid={uid} title={title} />
        </Group>
      </Group>
      <KeyValue value={key} title={title} />
      <KeyFacts apiKey={apiKey} />
    </article>
  );
}

function DeleteKey({ uid, title }: { readonly uid: string; readonly title: string }) {
  const remove = useChange(
    () => call('DELETE', `/keys/${uid}`),
    () => notify('The key is deleted'),
  );
  return (
    <ConfirmButton
      label="Delete"
      question={`Delete “${title}”?`}
      size="xs"
      aria-label={`Delete ${title}`}
      loading={remove.isPending}
      onConfirm={() => remove.mutate(undefined, { onError: (fault) => notifyFault(fault) })}
    >
      Programs that use it are refused from then on.
    </ConfirmButton>
  );
}

/** The ends of the key, and a button that copies it whole. */
function KeyValue({ value, title }: { readonly value: string; readonly title: string }) {
  return (
    <Group gap="xs" mt="sm" wrap="nowrap">
      <Code className="key-value">
        {value.slice(0, 8)}…{value.slice(-4)}
      </Code>
      <CopyButton value={value}>
        {({ copied, copy }) => (
          <Button
            size="compact-sm"
            variant="light"
            onClick={copy}
            leftSection={<Icon name={copied ? 'check' : 'copy'} size={14} />}
            aria-label={copied ? 'Copied' : `Copy ${title}`}
          >
            {copied ? 'Copied' : 'Copy'}
          </Button>
        )}
      </CopyButton>
    </Group>
  );
}

function KeyFacts({ apiKey: { actions, indexes, expiresAt, createdAt } }: { readonly apiKey: ApiKey }) {
  const isExpired = expiresAt !== null && Date.parse(expiresAt) < Date.now();
  return (
    <dl className="key-facts">
      <div>
        <dt>May</dt>
        <dd>
          {actions.map((action) => (
            <Code key={action}>{action}</Code>
          ))}
        </dd>
      </div>
      <div>
        <dt>In</dt>
        <dd>
          {indexes.map((index) => (
            <Code key={index}>{index}</Code>
          ))}
        </dd>
      </div>
      <div>
        <dt>Until</dt>
        <dd>
          {expiresAt === null ? 'it is deleted' : formatDate(expiresAt)}
          {isExpired && (
            <Badge color="red" variant="light" ml="xs" tt="none">
              expired
            </Badge>
          )}
        </dd>
      </div>
      <div>
        <dt>Made</dt>
        <dd>{formatAgo(createdAt)}</dd>
      </div>
    </dl>
  );
}
