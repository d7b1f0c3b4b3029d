import { Button, Group, PasswordInput, Select, Stack, Switch, TextInput } from '@mantine/core';
import { useState } from 'react';
import { CodeInput } from '../../parts/inputs/code-input.js';
import { switched, typed } from '../../parts/inputs/typed.js';
import { isObject } from './draft.js';

type Embedder = Readonly<Record<string, unknown>>;
interface Props {
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
}

const SOURCES = [
  { value: 'userProvided', label: 'Vectors come with the documents' },
  { value: 'huggingFace', label: 'A model on the server’s machine' },
  { value: 'ollama', label: 'Ollama' },
  { value: 'openAi', label: 'OpenAI, or what speaks like it' },
  { value: 'rest', label: 'Any address that answers with JSON (what is asked there as JSON)' },
  { value: 'composite', label: 'One for queries, another for documents (as JSON)' },
];
/** Members with an input of their own, and the sources that accept them; others are edited as JSON. */
const TAKEN_BY: Readonly<Record<string, readonly string[]>> = {
  url: ['ollama', 'openAi', 'rest'],
  model: ['huggingFace', 'ollama', 'openAi'],
  apiKey: ['ollama', 'openAi', 'rest'],
  dimensions: ['userProvided', 'ollama', 'openAi', 'rest'],
  documentTemplate: ['huggingFace', 'ollama', 'openAi', 'rest'],
};

/** Embedders by name; the common members have inputs of their own. */
export function EmbedderForm({ value, onChange }: Props) {
  const [name, setName] = useState('');
  const embedders = isObject(value) ? value : {};
  const isTaken = Object.hasOwn(embedders, name);
  const add = (): void => {
    onChange({ ...embedders, [name.trim()]: { source: 'userProvided', dimensions: 384 } });
    setName('');
  };
  return (
    <Stack>
      {Object.entries(embedders).map(([each, embedder]) => (
        <fieldset key={each} className="embedder">
          <legend>{each}</legend>
          <Fields
            embedder={isObject(embedder) ? embedder : {}}
            onChange={(next) => onChange({ ...embedders, [each]: next })}
          />
          <Button
            variant="subtle"
            color="gray"
            onClick={() => onChange(Object.fromEntries(Object.entries(embedders).filter(([other]) => other !== each)))}
          >
            Remove
          </Button>
        </fieldset>
      ))}
      <Group align="flex-end" gap="xs">
        <TextInput
          label="New embedder"
          placeholder="Its name"
          {...typed(name, setName)}
          error={isTaken ? 'There is one of that name' : null}
        />
        <Button variant="default" disabled={name.trim() === '' || isTaken} onClick={add}>
          Add
        </Button>
      </Group>
    </Stack>
  );
}

function Fields({ embedder, onChange }: { readonly embedder: Embedder; readonly onChange: (next: Embedder) => void }) {
  const source = String(embedder['source'] ?? 'openAi');
  const takes = (member: string): boolean => TAKEN_BY[member]?.includes(source) === true;
  const textOf = (member: string): string => (typeof embedder[member] === 'string' ? String(embedder[member]) : '');
  const set = (member: string, value: unknown): void => {
    const { [member]: _before, ...others } = embedder;
    onChange(value === '' || value === null ? others : { ...others, [member]: value });
  };
  const text = (member: string) => typed(textOf(member), (value) => set(member, value));
  // another provider starts without the members of the previous one
  const setSource = (next: string | null): void => {
    const { documentTemplate } = embedder;
    const keeps = TAKEN_BY['documentTemplate']?.includes(next ?? '') === true && documentTemplate !== undefined;
    const dimensions = next === 'userProvided' ? { dimensions: embedder['dimensions'] ?? 384 } : {};
    onChange({ source: next ?? source, ...dimensions, ...(keeps ? { documentTemplate } : {}) });
  };
  return (
    <Stack gap="sm">
      <Select label="Vectors from" data={SOURCES} value={source} onChange={setSource} allowDeselect={false} />
      {takes('url') && <TextInput label="Address" placeholder="http://127.0.0.1:11434/api/embed" {...text('url')} />}
      {takes('model') && (
        <TextInput label="Model: its name, or its folder on the server’s machine" {...text('model')} />
      )}
      {takes('apiKey') && (
        <PasswordInput
          label="Key of the provider"
          description="Kept by the server"
          autoComplete="off"
          {...text('apiKey')}
        />
      )}
      {takes('dimensions') && (
        <TextInput
          type="number"
          label="Numbers of a vector"
          value={typeof embedder['dimensions'] === 'number' ? embedder['dimensions'] : ''}
          onChange={({ currentTarget: { value } }) => set('dimensions', value === '' ? '' : Number(value))}
          min={1}
          maw={200}
        />
      )}
      {takes('documentTemplate') && (
        <CodeInput
          label="What is read of a document"
          placeholder="{{ doc.title }}: {{ doc.overview }}"
          minRows={2}
          maxRows={10}
          {...text('documentTemplate')}
        />
      )}
      <Switch
        label="One bit for each number: a thirty-second of the room, less exact"
        {...switched(embedder['binaryQuantized'] === true, (isOn) => set('binaryQuantized', isOn ? true : ''))}
      />
    </Stack>
  );
}
