import { Button, Group, Modal, PasswordInput, Select, Stack, Textarea, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { call } from '../../api/client.js';
import { useChange } from '../../api/queries.js';
import { ConfirmButton } from '../../parts/confirm-button.js';
import { FaultNote } from '../../parts/fault-note.js';
import { faultOfUid } from '../../parts/index-dialogs.js';
import { notify, notifyFault } from '../../parts/notify.js';

/** The settings of a workspace that are edited here; the key is only written, never shown. */
interface WorkspaceSettings {
  readonly source: string;
  readonly baseUrl: string | null;
  readonly orgId: string | null;
  readonly apiVersion: string | null;
  readonly deploymentId: string | null;
  readonly prompts: { readonly system: string };
}
const SOURCES = [
  { value: 'vLlm', label: 'Any server that speaks OpenAI’s interface (Ollama, llama.cpp, vLLM)' },
  { value: 'openAi', label: 'OpenAI' },
  { value: 'azureOpenAi', label: 'Azure OpenAI' },
  { value: 'mistral', label: 'Mistral' },
  { value: 'gemini', label: 'Gemini' },
];

interface Props {
  /** The workspace to change; null for a new one. */
  readonly uid: string | null;
  readonly onClose: () => void;
  readonly onSaved: (uid: string) => void;
}

/** Edits the provider, model and prompt of a workspace. */
export function WorkspaceDialog({ uid, onClose, onSaved }: Props) {
  const { data } = useQuery({
    queryKey: ['chat-settings', uid],
    queryFn: ({ signal }) =>
      call<WorkspaceSettings>('GET', `/chats/${encodeURIComponent(uid ?? '')}/settings`, { signal }),
    enabled: uid !== null,
  });
  return (
    <Modal
      opened
      onClose={onClose}
      title={uid === null ? 'New workspace' : `Workspace ${uid}`}
      size="lg"
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      {(uid === null || data !== undefined) && <Form uid={uid} saved={data} onClose={onClose} onSaved={onSaved} />}
    </Modal>
  );
}

function Form({ uid, saved, onClose, onSaved }: Props & { readonly saved: WorkspaceSettings | undefined }) {
  const [name, setName] = useState(uid ?? 'default');
  const [apiKey, setApiKey] = useState('');
  const [values, setValues] = useState({
    ...{ source: saved?.source ?? 'vLlm', baseUrl: saved?.baseUrl ?? '', orgId: saved?.orgId ?? '' },
    ...{
      apiVersion: saved?.apiVersion ?? '',
      deploymentId: saved?.deploymentId ?? '',
      system: saved?.prompts.system ?? '',
    },
  });
  const set = (field: keyof typeof values) => (event: { readonly currentTarget: { readonly value: string } }) => {
    const { value } = event.currentTarget;
    setValues((before) => ({ ...before, [field]: value }));
  };
  const orNull = (text: string) => (text.trim() === '' ? null : text.trim());
  const path = `/chats/${encodeURIComponent(name)}`;
  const save = useChange(
    () => {
      const { source, baseUrl, orgId, apiVersion, deploymentId, system } = values;
      const azure = { orgId: orNull(orgId), apiVersion: orNull(apiVersion), deploymentId: orNull(deploymentId) };
      const body = {
        source,
        baseUrl: orNull(baseUrl),
        ...azure,
        ...(apiKey === '' ? {} : { apiKey }),
        prompts: { system: orNull(system) },
      };
      return call('PATCH', `${path}/settings`, { body });
    },
    () => {
      notify(`The workspace ${name} is ready`);
      onSaved(name);
    },
  );
  const remove = useChange(
    () => call('DELETE', path),
    () => onClose(),
  );
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    save.mutate(undefined);
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        {uid === null && (
          <TextInput
            label="Name"
            value={name}
            error={faultOfUid(name)}
            onChange={(event) => setName(event.currentTarget.value)}
            data-autofocus
          />
        )}
        <Select
          label="Model from"
          data={SOURCES}
          value={values.source}
          onChange={(source) => setValues({ ...values, source: source ?? 'vLlm' })}
          allowDeselect={false}
        />
        <TextInput
          label="Base address"
          description="For a model on your own machine, http://127.0.0.1:11434/v1 for example; the server has to be allowed to call it (--experimental-allowed-ip-networks)"
          value={values.baseUrl}
          onChange={set('baseUrl')}
          required={values.source === 'vLlm' || values.source === 'azureOpenAi'}
        />
        {values.source === 'azureOpenAi' && (
          <Group grow>
            <TextInput label="Organization" value={values.orgId} onChange={set('orgId')} required />
            <TextInput label="API version" value={values.apiVersion} onChange={set('apiVersion')} required />
            <TextInput label="Deployment" value={values.deploymentId} onChange={set('deploymentId')} required />
          </Group>
        )}
        <PasswordInput
          label="The provider’s key"
          description={uid === null ? 'Kept by the server, and never shown again' : 'Left as it is when empty'}
          value={apiKey}
          onChange={(event) => setApiKey(event.currentTarget.value)}
          autoComplete="off"
        />
        <Textarea
          label="What the model is told first"
          value={values.system}
          onChange={set('system')}
          autosize
          minRows={3}
          maxRows={8}
        />
        {save.error !== null && <FaultNote fault={save.error} />}
        <Group justify="space-between">
          {uid === null ? (
            <span />
          ) : (
            <ConfirmButton
              label="Delete"
              question={`Delete the workspace ${uid}?`}
              onConfirm={() => remove.mutate(undefined, { onError: (fault) => notifyFault(fault) })}
            >
              Its settings go, and nobody can ask in it any more.
            </ConfirmButton>
          )}
          <Group>
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={save.isPending}>
              Save
            </Button>
          </Group>
        </Group>
      </Stack>
    </form>
  );
}
