import { Select, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { call } from '../api/client.js';
import { useWrite } from '../api/queries.js';
import type { TaskReceipt } from '../api/types.js';
import { FormDialog } from './form-dialog.js';
import { typed } from './inputs/typed.js';
import { notify } from './notify.js';

const UID = /^[a-zA-Z0-9_-]{1,400}$/;
/** The error in the name of an index, or null. */
export function faultOfUid(uid: string): string | null {
  return uid === '' || UID.test(uid) ? null : 'Letters, digits, - and _ only';
}

interface DialogProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

export function CreateIndex({ isOpen, onClose }: DialogProps) {
  const [uid, setUid] = useState('');
  const [primaryKey, setPrimaryKey] = useState('');
  const create = useWrite(
    () => call<TaskReceipt>('POST', '/indexes', { body: { uid, primaryKey: primaryKey === '' ? null : primaryKey } }),
    () => {
      notify(`Index ${uid} is there`);
      setUid('');
      onClose();
    },
  );
  return (
    <FormDialog
      centered
      title="New index"
      isOpen={isOpen}
      onClose={onClose}
      write={create}
      button="Create"
      isReady={UID.test(uid)}
    >
      <TextInput
        label="Name"
        description="Its uid, as in addresses"
        {...typed(uid, setUid)}
        error={faultOfUid(uid)}
        required
        data-autofocus
      />
      <TextInput
        label="Primary key"
        description="The attribute that tells documents apart; found by itself in the first documents when left empty"
        {...typed(primaryKey, setPrimaryKey)}
      />
    </FormDialog>
  );
}

export function RenameIndex({ uid, isOpen, onClose }: DialogProps & { readonly uid: string }) {
  const [name, setName] = useState(uid);
  const rename = useWrite(
    () => call<TaskReceipt>('PATCH', `/indexes/${encodeURIComponent(uid)}`, { body: { uid: name } }),
    () => {
      notify(`${uid} is called ${name} now`);
      onClose();
    },
  );
  return (
    <FormDialog
      centered
      title={`Rename ${uid}`}
      {...{ isOpen, onClose }}
      write={rename}
      button="Rename"
      isReady={UID.test(name) && name !== uid}
    >
      <TextInput label="New name" {...typed(name, setName)} error={faultOfUid(name)} data-autofocus />
      <Text size="sm" c="dimmed">
        Searches in {uid} have to use the new name from then on.
      </Text>
    </FormDialog>
  );
}

export function SwapIndexes({
  uid,
  others,
  isOpen,
  onClose,
}: DialogProps & { readonly uid: string; readonly others: readonly string[] }) {
  const [other, setOther] = useState<string | null>(null);
  const swap = useWrite(
    () => call<TaskReceipt>('POST', '/swap-indexes', { body: [{ indexes: [uid, other] }] }),
    () => {
      notify(`${uid} and ${other} have changed places`);
      onClose();
    },
  );
  return (
    <FormDialog
      centered
      title={`Swap ${uid}`}
      {...{ isOpen, onClose }}
      write={swap}
      button="Swap"
      isReady={other !== null}
    >
      <Select label="With" data={others} value={other} onChange={setOther} data-autofocus />
      <Text size="sm" c="dimmed">
        Documents and settings change places at once: who searches meanwhile sees the one or the other, never a half.
      </Text>
    </FormDialog>
  );
}
