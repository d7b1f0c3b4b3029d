import { ActionIcon, Button, Group, Stack, TagsInput, Text, TextInput, Title } from '@mantine/core';
import { useState } from 'react';
import { call } from '../../api/client.js';
import { useWrite } from '../../api/queries.js';
import type { TaskReceipt } from '../../api/types.js';
import { FaultNote } from '../../parts/fault-note.js';
import { Icon } from '../../parts/icon.js';
import { notify } from '../../parts/notify.js';
import { useUnsaved } from '../../parts/unsaved.js';
import { bothWays, rowsOf, type SynonymRow, synonymsOf } from './synonym-rows.js';

interface Props {
  readonly uid: string;
  readonly saved: Readonly<Record<string, readonly string[]>>;
}

/** The editor of synonyms. */
export function Synonyms({ uid, saved }: Props) {
  const [rows, setRows] = useState<readonly SynonymRow[]>(() => rowsOf(saved));
  const [wanted, setWanted] = useState('');
  const save = useWrite(
    () => call<TaskReceipt>('PUT', `/indexes/${encodeURIComponent(uid)}/settings/synonyms`, { body: synonymsOf(rows) }),
    () => notify('The synonyms are in use'),
  );
  const change = (row: SynonymRow): void => setRows(rows.map((each) => (each.id === row.id ? row : each)));
  const add = (): void =>
    setRows([...rows, { id: Math.max(-1, ...rows.map(({ id }) => id)) + 1, word: '', others: [] }]);
  const shown = rows.filter(
    ({ word, others }) => wanted === '' || [word, ...others].some((text) => text.includes(wanted)),
  );
  const isChanged = JSON.stringify(synonymsOf(rows)) !== JSON.stringify(saved);
  useUnsaved(isChanged && !save.isPending && !save.isSuccess);
  return (
    <section className="panel pad" aria-labelledby="synonyms-title">
      <Title order={2} id="synonyms-title">
        Synonyms
      </Title>
      <Text size="sm" c="dimmed" mb="md">
        Who searches for the first finds the others as well. It holds in one direction, unless you make it both.
      </Text>
      {rows.length > 8 && (
        <TextInput
          size="xs"
          aria-label="Find a synonym"
          placeholder="Find"
          value={wanted}
          onChange={(event) => setWanted(event.currentTarget.value)}
          mb="sm"
        />
      )}
      <Stack gap="sm">
        {shown.map((row) => (
          <SynonymInputs
            key={row.id}
            row={row}
            onChange={change}
            onBothWays={() => setRows(bothWays(rows, row))}
            onRemove={() => setRows(rows.filter(({ id }) => id !== row.id))}
          />
        ))}
      </Stack>
      {save.error !== null && <FaultNote fault={save.error} />}
      <Group justify="space-between" mt="md">
        <Button variant="light" leftSection={<Icon name="plus" size={16} />} onClick={add}>
          Add a synonym
        </Button>
        <Button onClick={() => save.mutate(undefined)} loading={save.isPending} disabled={!isChanged}>
          Save synonyms
        </Button>
      </Group>
    </section>
  );
}

function SynonymInputs({
  row,
  onChange,
  onBothWays,
  onRemove,
}: {
  readonly row: SynonymRow;
  readonly onChange: (row: SynonymRow) => void;
  readonly onBothWays: () => void;
  readonly onRemove: () => void;
}) {
  return (
    <div className="synonym">
      <TextInput
        aria-label="Word"
        placeholder="Word or phrase"
        value={row.word}
        onChange={(event) => onChange({ ...row, word: event.currentTarget.value })}
      />
      <Icon name="arrow-right" size={16} />
      <TagsInput
        aria-label={`Synonyms of ${row.word === '' ? 'the new word' : row.word}`}
        placeholder={row.others.length === 0 ? 'Also found' : undefined}
        value={[...row.others]}
        onChange={(others) => onChange({ ...row, others })}
        splitChars={[',', '\n']}
      />
      <ActionIcon
        variant="subtle"
        color="gray"
        aria-label={`Make ${row.word} hold both ways`}
        title="Both ways"
        disabled={row.word.trim() === '' || row.others.length === 0}
        onClick={onBothWays}
      >
        <Icon name="arrow-left-right" size={16} />
      </ActionIcon>
      <ActionIcon variant="subtle" color="gray" aria-label={`Remove ${row.word}`} onClick={onRemove}>
        <Icon name="x" size={16} />
      </ActionIcon>
    </div>
  );
}
