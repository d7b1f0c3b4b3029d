import { Button, Drawer, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiFault, call } from '../../api/client.js';
import { useWrite } from '../../api/queries.js';
import type { Document, TaskReceipt } from '../../api/types.js';
import { ChangedMeanwhile, ChangedNote } from '../../parts/changed-meanwhile.js';
import { ConfirmButton } from '../../parts/confirm-button.js';
import { FaultNote } from '../../parts/fault-note.js';
import { CodeInput } from '../../parts/inputs/code-input.js';
import { typed } from '../../parts/inputs/typed.js';
import { notify, notifyFault } from '../../parts/notify.js';
import { forgetUnsaved, useUnsaved } from '../../parts/unsaved.js';

/** In a path, the id of a document to be written: no id has a tilde. */
export const NEW_DOCUMENT = '~new';

interface Props {
  readonly uid: string;
  readonly primaryKey: string | null;
  /** The document's id, NEW_DOCUMENT, or undefined for none. */
  readonly id: string | undefined;
  readonly onClose: () => void;
}

/** Shows, edits, deletes or creates one document in a drawer. */
export function DocumentEditor({ uid, primaryKey, id, onClose }: Props) {
  const isNew = id === NEW_DOCUMENT;
  const path = `/indexes/${encodeURIComponent(uid)}/documents`;
  const { data, error } = useQuery({
    queryKey: ['document', uid, id],
    queryFn: ({ signal }) => call<Document>('GET', `${path}/${encodeURIComponent(id ?? '')}`, { signal }),
    enabled: id !== undefined && !isNew,
    // the edited text must not be replaced by a reload
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  const document = isNew ? { [primaryKey ?? 'id']: '' } : data;
  return (
    <Drawer
      opened={id !== undefined}
      onClose={onClose}
      position="right"
      size="xl"
      title={isNew ? 'New document' : `Document ${id ?? ''}`}
    >
      {error !== null && <FaultNote fault={error} />}
      {document !== undefined && <Editor key={id} {...{ uid, path, document, isNew, onClose }} id={id ?? ''} />}
    </Drawer>
  );
}

interface EditorProps {
  readonly uid: string;
  readonly path: string;
  readonly id: string;
  readonly document: Document;
  readonly isNew: boolean;
  readonly onClose: () => void;
}

function Editor({ path, id, document, isNew, onClose }: EditorProps) {
  const [written, setWritten] = useState(() => textOf(document));
  const [text, setText] = useState(written);
  const fault = faultOfDocument(text);
  const done = (message: string): void => {
    notify(message);
    forgetUnsaved();
    onClose();
  };
  const ownPath = `${path}/${encodeURIComponent(id)}`;
  const save = useWrite(
    async (isForced: boolean) => {
      const now = isNew || isForced ? written : await storedText(ownPath);
      if (now !== written)
        throw new ChangedMeanwhile(`others have ${now === null ? 'deleted' : 'changed'} this document`);
      return call<TaskReceipt>('POST', path, { body: [JSON.parse(text)] });
    },
    () => done('The document is saved and can be found'),
  );
  useUnsaved(text !== written && !save.isPending);
  const remove = useWrite(
    () => call<TaskReceipt>('DELETE', ownPath),
    () => done(`Document ${id} is deleted`),
  );
  const takeTheirs = async (): Promise<void> => {
    const now = await storedText(ownPath);
    if (now === null) {
      forgetUnsaved();
      return onClose();
    }
    setWritten(now);
    setText(now);
    save.reset();
  };
  return (
    <Stack>
      <CodeInput label="As JSON" {...typed(text, setText)} error={fault} minRows={12} maxRows={30} />
      {save.error instanceof ChangedMeanwhile ? (
        <ChangedNote
          fault={save.error}
          onAnew={() => void takeTheirs().catch(notifyFault)}
          onForced={() => save.mutate(true)}
        />
      ) : (
        save.error !== null && <FaultNote fault={save.error} />
      )}
      <Group justify="space-between">
        {isNew ? (
          <Text size="sm" c="dimmed">
            A document with the same id is replaced.
          </Text>
        ) : (
          <ConfirmButton
            label="Delete"
            question={`Delete document ${id}?`}
            onConfirm={() => remove.mutate(undefined, { onError: (error) => notifyFault(error) })}
          >
            It cannot be found any more, and does not come back.
          </ConfirmButton>
        )}
        <Button onClick={() => save.mutate(false)} loading={save.isPending} disabled={fault !== null}>
          Save
        </Button>
      </Group>
    </Stack>
  );
}

const textOf = (document: Document): string => JSON.stringify(document, null, 2);

/** The document that is stored now, as it is edited; null when there is none. */
async function storedText(path: string): Promise<string | null> {
  try {
    return textOf(await call<Document>('GET', path));
  } catch (error) {
    if (error instanceof ApiFault && error.code === 'document_not_found') return null;
    throw error;
  }
}

/** The error in the text of a document, or null. */
export function faultOfDocument(text: string): string | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? null : 'A document is a JSON object';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
