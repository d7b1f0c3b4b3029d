import { ActionIcon, Button, Group, MultiSelect, Select, TextInput } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../api/client.js';
import { useChange, useFeatures, useIndexes } from '../../api/queries.js';
import type { Page } from '../../api/types.js';
import { Answered } from '../../parts/answered.js';
import { EmptyNote } from '../../parts/empty-note.js';
import { FaultNote } from '../../parts/fault-note.js';
import { Icon } from '../../parts/icon.js';
import { notify } from '../../parts/notify.js';
import { ViewHead } from '../../parts/view-head.js';
import { Talk } from './talk-view.js';
import { WorkspaceDialog } from './workspace-dialog.js';
import './chat.css';
import { typed } from '../../parts/inputs/typed.js';

/** Questions about the content of the indexes, answered by a model that searches in them. */
export function ChatView() {
  return (
    <Answered query={useFeatures()}>
      {({ chatCompletions }) => (chatCompletions === true ? <Workspaces /> : <SwitchOn />)}
    </Answered>
  );
}

function SwitchOn() {
  const change = useChange(
    () => call('PATCH', '/experimental-features', { body: { chatCompletions: true } }),
    () => notify('Conversations are on'),
  );
  return (
    <>
      <ViewHead title="Chat" />
      <div className="panel pad">
        <EmptyNote icon="message-circle" title="Ask your documents">
          A language model of your choice searches in your indexes and answers from what it finds. Your documents go to
          that model’s provider, and to nobody else.
          <br />
          <Button mt="md" onClick={() => change.mutate(undefined)} loading={change.isPending}>
            Switch conversations on
          </Button>
        </EmptyNote>
        {change.error !== null && <FaultNote fault={change.error} />}
      </div>
    </>
  );
}

function Workspaces() {
  const workspaces = useQuery({
    queryKey: ['chats'],
    queryFn: ({ signal }) => call<Page<{ uid: string }>>('GET', '/chats', { query: { limit: 1_000 }, signal }),
  });
  return (
    <Answered query={workspaces}>{({ results }) => <Conversation names={results.map(({ uid }) => uid)} />}</Answered>
  );
}

function Conversation({ names }: { readonly names: string[] }) {
  const [picked, setPicked] = useLocalStorage<string | null>({ key: 'fossick.workspace', defaultValue: null });
  const [model, setModel] = useLocalStorage({ key: 'fossick.model', defaultValue: '' });
  const [indexes, setIndexes] = useState<string[]>([]);
  const [edited, setEdited] = useState<{ readonly uid: string | null } | null>(null);
  const workspace = picked !== null && names.includes(picked) ? picked : names[0];
  const dialog = edited !== null && (
    <WorkspaceDialog
      key="dialog"
      uid={edited.uid}
      onClose={() => setEdited(null)}
      onSaved={(uid) => {
        setPicked(uid);
        setEdited(null);
      }}
    />
  );
  if (workspace === undefined)
    return (
      <>
        <NoWorkspace onNew={() => setEdited({ uid: null })} />
        {dialog}
      </>
    );
  return (
    <>
      <ViewHead title="Chat" lead="A model that searches in your indexes, and shows the sources of its answers">
        <Button variant="default" leftSection={<Icon name="plus" size={16} />} onClick={() => setEdited({ uid: null })}>
          New workspace
        </Button>
      </ViewHead>
      <Group gap="sm" mb="md" align="flex-end" className="chat-choices">
        <WorkspaceInput {...{ names, workspace }} onPick={setPicked} onEdit={() => setEdited({ uid: workspace })} />
        <TextInput label="Model" placeholder="qwen3:8b, gpt-4o …" {...typed(model, setModel)} w={190} />
        <IndexesInput indexes={indexes} onChange={setIndexes} />
      </Group>
      <Talk key={workspace} workspace={workspace} model={model} indexes={indexes} />
      {dialog}
    </>
  );
}

function NoWorkspace({ onNew }: { readonly onNew: () => void }) {
  return (
    <>
      <ViewHead title="Chat" />
      <div className="panel pad">
        <EmptyNote icon="message-circle" title="No workspace yet">
          A workspace says which model answers, and what it is told.
          <br />
          <Button mt="md" onClick={onNew}>
            New workspace
          </Button>
        </EmptyNote>
      </div>
    </>
  );
}

function WorkspaceInput({
  names,
  workspace,
  onPick,
  onEdit,
}: {
  readonly names: string[];
  readonly workspace: string;
  readonly onPick: (name: string | null) => void;
  readonly onEdit: () => void;
}) {
  return (
    <Group gap={4} align="flex-end" wrap="nowrap">
      <Select label="Workspace" data={names} value={workspace} onChange={onPick} allowDeselect={false} w={170} />
      <ActionIcon variant="default" size={36} aria-label={`Settings of the workspace ${workspace}`} onClick={onEdit}>
        <Icon name="settings" />
      </ActionIcon>
    </Group>
  );
}

function IndexesInput({
  indexes,
  onChange,
}: {
  readonly indexes: string[];
  readonly onChange: (indexes: string[]) => void;
}) {
  const uids = useIndexes().data?.results.map(({ uid }) => uid) ?? [];
  return (
    <MultiSelect
      label="Indexes"
      placeholder={indexes.length === 0 ? 'All of them' : undefined}
      data={uids}
      value={indexes}
      onChange={onChange}
      clearable
      className="chat-indexes"
    />
  );
}
