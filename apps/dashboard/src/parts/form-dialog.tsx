import { Button, Group, Modal, type ModalProps, Stack } from '@mantine/core';
import type { FormEvent, ReactNode } from 'react';
import { FaultNote } from './fault-note.js';

interface DialogProps extends FormProps, Pick<ModalProps, 'title' | 'size' | 'centered'> {
  readonly isOpen?: boolean;
}
/** A dialog whose inputs are sent together. */
export function FormDialog({ title, size = 'md', centered = false, isOpen = true, ...form }: DialogProps) {
  return (
    <Modal opened={isOpen} onClose={form.onClose} {...{ title, size, centered }}>
      <DialogForm {...form} />
    </Modal>
  );
}

interface FormProps {
  readonly write: { readonly error: Error | null; readonly isPending: boolean; mutate(input: undefined): void };
  /** The label of the button that sends. */
  readonly button: string;
  readonly isReady?: boolean;
  readonly onClose: () => void;
  /** Next to the buttons. */
  readonly aside?: ReactNode;
  readonly children: ReactNode;
}
/** The content of such a dialog. */
export function DialogForm({ write, button, isReady = true, onClose, aside, children }: FormProps) {
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (isReady) write.mutate(undefined);
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        {children}
        {write.error !== null && <FaultNote fault={write.error} />}
        <Group justify={aside === undefined ? 'flex-end' : 'space-between'}>
          {aside}
          <Group>
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={write.isPending} disabled={!isReady}>
              {button}
            </Button>
          </Group>
        </Group>
      </Stack>
    </form>
  );
}
