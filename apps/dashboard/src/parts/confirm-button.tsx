import { Button, type ButtonProps, Group, Modal, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { ReactNode } from 'react';

interface Props extends Omit<ButtonProps, 'children'> {
  /** The text of the button, also in the dialog. */
  readonly label: string;
  readonly question: string;
  readonly children: ReactNode;
  readonly onConfirm: () => void;
}

/** A button for an irreversible action, which asks for confirmation. */
export function ConfirmButton({ label, question, children, onConfirm, ...button }: Props) {
  const [isOpen, { open, close }] = useDisclosure(false);
  return (
    <>
      <Button variant="light" color="red" {...button} onClick={open}>
        {label}
      </Button>
      <Confirm {...{ isOpen, onClose: close, label, question, onConfirm }}>{children}</Confirm>
    </>
  );
}

interface ConfirmProps {
  readonly isOpen: boolean;
  readonly label: string;
  readonly question: string;
  readonly children: ReactNode;
  readonly onClose: () => void;
  readonly onConfirm: () => void;
}
/** The dialog alone, for actions in a menu. */
export function Confirm({ isOpen, label, question, children, onClose, onConfirm }: ConfirmProps) {
  return (
    <Modal opened={isOpen} onClose={onClose} title={question} centered>
      <Text size="sm" component="div">
        {children}
      </Text>
      <Group justify="flex-end" mt="lg">
        <Button variant="default" onClick={onClose} data-autofocus>
          Cancel
        </Button>
        <Button
          color="red"
          onClick={() => {
            onClose();
            onConfirm();
          }}
        >
          {label}
        </Button>
      </Group>
    </Modal>
  );
}
