import { ActionIcon, Button, Group, Table, Text, TextInput, Title } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useChange } from '../../api/queries.js';
import { ConfirmButton } from '../../parts/confirm-button.js';
import { FormDialog } from '../../parts/form-dialog.js';
import { Icon } from '../../parts/icon.js';
import { CodeInput } from '../../parts/inputs/code-input.js';
import { typed } from '../../parts/inputs/typed.js';
import { notify, notifyFault } from '../../parts/notify.js';
import { useUnsaved } from '../../parts/unsaved.js';

/** Something of the server that has a name and a value of JSON. */
export interface ServerRecord {
  readonly name: string;
  /** What is shown of it in the list. */
  readonly shown: string;
  readonly value: unknown;
  readonly isEditable: boolean;
}
interface Props {
  readonly title: string;
  readonly lead: ReactNode;
  /** `webhook`. */
  readonly noun: string;
  readonly records: readonly ServerRecord[];
  /** Whether users name new ones. */
  readonly isNamed: boolean;
  /** The value that a new one begins with. */
  readonly template: unknown;
  /** `before`: null for a new one. */
  readonly onSave: (name: string, value: unknown, before: ServerRecord | null) => Promise<unknown>;
  readonly onDelete: (name: string) => Promise<unknown>;
}

/** A list of records, each edited as JSON. */
export function Records({ title, lead, noun, records, isNamed, template, onSave, onDelete }: Props) {
  const [edited, setEdited] = useState<ServerRecord | 'new' | null>(null);
  const remove = useChange(onDelete, () => notify(`The ${noun} is deleted`));
  return (
    <section className="panel pad" aria-label={title}>
      <div className="panel-head">
        <Title order={2}>{title}</Title>
        <Button
          size="compact-sm"
          variant="light"
          leftSection={<Icon name="plus" size={16} />}
          onClick={() => setEdited('new')}
        >
          New {noun}
        </Button>
      </div>
      <Text size="sm" c="dimmed">
        {lead}
      </Text>
      {records.length > 0 && (
        <Table mt="sm">
          <Table.Tbody>
            {records.map((record) => (
              <Table.Tr key={record.name}>
                <Table.Td className="record-name">{record.shown}</Table.Td>
                <Table.Td>
                  <Group gap={4} wrap="nowrap" justify="flex-end">
                    <ActionIcon
                      variant="subtle"
                      color="gray"
                      aria-label={`Change ${record.shown}`}
                      disabled={!record.isEditable}
                      onClick={() => setEdited(record)}
                    >
                      <Icon name="pencil" size={16} />
                    </ActionIcon>
                    <ConfirmButton
                      label="Delete"
                      question={`Delete ${record.shown}?`}
                      size="compact-sm"
                      variant="subtle"
                      disabled={!record.isEditable}
                      onConfirm={() => remove.mutate(record.name, { onError: (fault) => notifyFault(fault) })}
                    >
                      It has no effect any more, and does not come back.
                    </ConfirmButton>
                  </Group>
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
      {edited !== null && (
        <Editor
          record={edited === 'new' ? null : edited}
          {...{ noun, isNamed, template, onSave }}
          onClose={() => setEdited(null)}
        />
      )}
    </section>
  );
}

interface EditorProps extends Pick<Props, 'noun' | 'isNamed' | 'template' | 'onSave'> {
  readonly record: ServerRecord | null;
  readonly onClose: () => void;
}
function Editor({ record, noun, isNamed, template, onSave, onClose }: EditorProps) {
  const [start] = useState(() => JSON.stringify(record?.value ?? template, null, 2));
  const [text, setText] = useState(start);
  const [name, setName] = useState(record?.name ?? '');
  const fault = faultOfJson(text);
  const save = useChange(
    () => onSave(name, JSON.parse(text), record),
    () => {
      notify(`The ${noun} is in use`);
      onClose();
    },
  );
  useUnsaved(text !== start && !save.isPending && !save.isSuccess);
  const isReady = fault === null && (!isNamed || name.trim() !== '');
  return (
    <FormDialog
      title={record === null ? `New ${noun}` : `Change the ${noun}`}
      size="lg"
      onClose={onClose}
      write={save}
      button="Save"
      isReady={isReady}
    >
      {isNamed && record === null && <TextInput label="Name" {...typed(name, setName)} data-autofocus required />}
      <CodeInput label="As JSON" {...typed(text, setText)} error={fault} minRows={8} maxRows={24} />
    </FormDialog>
  );
}

function faultOfJson(text: string): string | null {
  try {
    JSON.parse(text);
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
