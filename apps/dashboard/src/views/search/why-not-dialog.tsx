import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { call } from '../../api/client.js';
import type { Settings } from '../../api/types.js';
import { FaultNote } from '../../parts/fault-note.js';
import { Icon } from '../../parts/icon.js';
import { typed } from '../../parts/inputs/typed.js';
import type { SearchState } from './search-state.js';
import { whyNotFound } from './why-not.js';

interface Props {
  readonly uid: string;
  readonly primaryKey: string;
  readonly settings: Settings;
  readonly state: SearchState;
}

/** Asks for a document, and tells what of the search it does not meet. */
export function WhyNotDialog({ state, ...place }: Props) {
  const [isOpen, { open, close }] = useDisclosure(false);
  const [id, setId] = useState('');
  const seek = useMutation({
    mutationFn: (wanted: string) =>
      whyNotFound((method, path, body) => call(method, path, body === undefined ? {} : { body }), place, state, wanted),
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (id.trim() !== '') seek.mutate(id.trim());
  };
  return (
    <>
      <Button variant="subtle" size="compact-sm" color="gray" onClick={open}>
        Why not found?
      </Button>
      <Modal opened={isOpen} onClose={close} title="Why is a document not found?" size="lg">
        <form onSubmit={submit}>
          <Group align="flex-end" gap="xs" wrap="nowrap">
            <TextInput label={`Its ${place.primaryKey}`} {...typed(id, setId)} flex={1} data-autofocus />
            <Button type="submit" loading={seek.isPending} disabled={id.trim() === ''}>
              Tell why
            </Button>
          </Group>
        </form>
        {seek.error !== null && <FaultNote fault={seek.error} />}
        <Stack component="ul" gap="xs" mt="md" className="findings" aria-label="Findings" aria-live="polite">
          {seek.data?.map(({ isMet, text }) => (
            <Group key={text} component="li" gap="xs" wrap="nowrap" align="flex-start">
              <Icon name={isMet ? 'circle-check' : 'circle-alert'} size={18} />
              <Text size="sm" fw={isMet ? 400 : 600}>
                {text}
              </Text>
            </Group>
          ))}
        </Stack>
      </Modal>
    </>
  );
}
