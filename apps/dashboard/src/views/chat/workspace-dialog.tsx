import { Group, Modal, PasswordInput, Select, Textarea, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../api/client.js';
import { useChange } from '../../api/queries.js';
import { ConfirmButton } from '../../parts/confirm-button.js';
import { DialogForm } from '../../parts/form-dialog.js';
import { faultOfUid } from '../../parts/index-dialogs.js';
import { typed } from '../../parts/inputs/typed.js';
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
    <Modal opened onClose={onClose} title={uid === null ? 'New workspace' : `Workspace ${uid}`} size="lg">
      {(uid === null || data !== undefined) && <Form uid={uid} saved={data} onClose={onClose} onSaved={onSaved} />}
    </Modal>
  );
}

/** The texts of the inputs. */
interface Values {
  readonly source: string;
  readonly baseUrl: string;
  readonly orgId: string;
  readonly apiVersion: string;
  readonly deploymentId: string;
  readonly system: string;
}

function Form({ uid, saved, onClose, onSaved }: Props & { readonly saved: WorkspaceSettings | undefined }) {
  const [name, setName] = useState(uid ?? 'default');
  const [apiKey, setApiKey] = useState('');
  const [values, setValues] = useState(() => valuesOf(saved));
  const set = (field: keyof Values, value: string): void => setValues((before) => ({ ...before, [field]: value }));
  const save = useChange(
    () => call('PATCH', `/chats/${encodeURIComponent(name)}/settings`, { body: bodyOf(values, apiKey) }),
    () => {
      notify(`The workspace ${name} is ready`);
      onSaved(name);
    },
  );
  return (
    <DialogForm
      write={save}
      button="Save"
      onClose={onClose}
      aside={uid === null ? <span /> : <DeleteWorkspace uid={uid} onDeleted={onClose} />}
    >
      {uid === null && <TextInput label="Name" {...typed(name, setName)} error={faultOfUid(name)} data-autofocus />}
      <ProviderInputs values={values} onChange={set} />
      <PasswordInput
        label="The provider’s key"
        description={uid === null ? 'Kept by the server, and never shown again' : 'Left as it is when empty'}
        {...typed(apiKey, setApiKey)}
        autoComplete="off"
      />
      <Textarea
        label="What the model is told first"
        {...typed(values.system, (value) => set('system', value))}
        autosize
        minRows={3}
        maxRows={8}
      />
    </DialogForm>
  );
}

/** The provider of the model, and its address. */
function ProviderInputs({
  values,
  onChange,
}: {
  readonly values: Values;
  readonly onChange: (field: keyof Values, value: string) => void;
}) {
  const inputOf = (field: keyof Values) => typed(values[field], (value) => onChange(field, value));
  return (
    <>
      <Select
        label="Model from"
        data={SOURCES}
        value={values.source}
        onChange={(source) => onChange('source', source ?? 'vLlm')}
        allowDeselect={false}
      />
      <TextInput
        label="Base address"
        description="For a model on your own machine, http://127.0.0.1:11434/v1 for example; the server has to be allowed to call it (--experimental-allowed-ip-networks)"
        {...inputOf('baseUrl')}
        required={values.source === 'vLlm' || values.source === 'azureOpenAi'}
      />
      {values.source === 'azureOpenAi' && (
        <Group grow>
          <TextInput label="Organization" {...inputOf('orgId')} required />
          <TextInput label="API version" {...inputOf('apiVersion')} required />
          <TextInput label="Deployment" {...inputOf('deploymentId')} required />
        </Group>
      )}
    </>
  );
}

function DeleteWorkspace({ uid, onDeleted }: { readonly uid: string; readonly onDeleted: () => void }) {
  const remove = useChange(
    () => call('DELETE', `/chats/${encodeURIComponent(uid)}`),
    () => onDeleted(),
  );
  return (
    <ConfirmButton
      label="Delete"
      question={`Delete the workspace ${uid}?`}
      onConfirm={() => remove.mutate(undefined, { onError: (fault) => notifyFault(fault) })}
    >
      Its settings go, and nobody can ask in it any more.
    </ConfirmButton>
  );
}

function valuesOf(saved: WorkspaceSettings | undefined): Values {
  return {
    source: saved?.source ?? 'vLlm',
    baseUrl: saved?.baseUrl ?? '',
    orgId: saved?.orgId ?? '',
    apiVersion: saved?.apiVersion ?? '',
    deploymentId: saved?.deploymentId ?? '',
    system: saved?.prompts.system ?? '',
  };
}

/** The body of the request that saves these values: an empty input resets its setting, an empty key changes none. */
function bodyOf({ source, baseUrl, orgId, apiVersion, deploymentId, system }: Values, apiKey: string) {
  return {
    source,
    baseUrl: orNull(baseUrl),
    orgId: orNull(orgId),
    apiVersion: orNull(apiVersion),
    deploymentId: orNull(deploymentId),
    ...(apiKey === '' ? {} : { apiKey }),
    prompts: { system: orNull(system) },
  };
}
function orNull(text: string): string | null {
  return text.trim() === '' ? null : text.trim();
}
