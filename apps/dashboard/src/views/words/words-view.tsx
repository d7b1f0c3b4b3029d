import { ActionIcon, Button, Group, SimpleGrid, Stack, TagsInput, Text, TextInput, Title } from '@mantine/core';
import { useFreshSettings } from '../../api/queries.js';
import { Answered } from '../../parts/answered.js';
import { useIndexUid } from '../../parts/current-index.js';
import { ViewHead } from '../../parts/view-head.js';
import './words.css';
import { useState } from 'react';
import type { Settings } from '../../api/types.js';
import { Icon } from '../../parts/icon.js';
import { typed } from '../../parts/inputs/typed.js';
import { SettingsFault, useSettingsWrite } from '../../parts/settings-write.js';
import { useUnsaved } from '../../parts/unsaved.js';
import { bothWays, rowsOf, type SynonymRow, synonymsOf } from './synonym-rows.js';

/** Synonyms and stop words. */
export function WordsView() {
  const uid = useIndexUid();
  const [drafts, setDrafts] = useState({ synonyms: 0, stopWords: 0 });
  const anew = (name: keyof typeof drafts) => setDrafts((before) => ({ ...before, [name]: before[name] + 1 }));
  return (
    <>
      <ViewHead
        title="Synonyms and stop words"
        lead={`What searches in ${uid} take for the same, and what they pass over`}
      />
      <Answered query={useFreshSettings(uid)}>
        {(settings) => (
          <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="lg">
            <Synonyms key={`s${drafts.synonyms}`} {...{ uid, settings }} onAnew={() => anew('synonyms')} />
            <StopWords key={`w${drafts.stopWords}`} {...{ uid, settings }} onAnew={() => anew('stopWords')} />
          </SimpleGrid>
        )}
      </Answered>
    </>
  );
}

/** The editor of stop words. */
function StopWords({ uid, settings, onAnew }: WordsProps) {
  // compared with those at the start of the draft, so that it does not undo changes by others
  const [saved] = useState(settings['stopWords'] as readonly string[]);
  const [words, setWords] = useState(saved);
  const save = useSettingsWrite({
    ...{ uid, onAnew, saved: { stopWords: saved }, changes: { stopWords: words } },
    message: 'The stop words are in use',
  });
  const isChanged = JSON.stringify([...words].sort()) !== JSON.stringify([...saved].sort());
  useUnsaved(isChanged && !save.isPending && !save.isSuccess);
  return (
    <section className="panel pad" aria-labelledby="stop-words-title">
      <Title order={2} id="stop-words-title">
        Stop words
      </Title>
      <Text size="sm" c="dimmed" mb="md">
        Words so frequent that they tell nothing: “the”, “of”. Paste a whole list, one a line or with commas between.
      </Text>
      <TagsInput
        aria-label="Stop words"
        placeholder={words.length === 0 ? 'None' : undefined}
        value={[...words]}
        onChange={setWords}
        splitChars={[',', '\n', ' ']}
        clearable
      />
      <SettingsFault save={save} onAnew={onAnew} />
      <Group justify="space-between" mt="md">
        <Text size="sm" c="dimmed" className="number">
          {words.length === 1 ? '1 word' : `${words.length} words`}
        </Text>
        <Button onClick={() => save.mutate(false)} loading={save.isPending} disabled={!isChanged}>
          Save stop words
        </Button>
      </Group>
    </section>
  );
}

interface WordsProps {
  readonly uid: string;
  readonly settings: Settings;
  /** Begins a new draft. */
  readonly onAnew: () => void;
}

/** The editor of synonyms. */
function Synonyms({ uid, settings, onAnew }: WordsProps) {
  // compared with those at the start of the draft, so that it does not undo changes by others
  const [saved] = useState(settings['synonyms'] as Readonly<Record<string, readonly string[]>>);
  const [rows, setRows] = useState<readonly SynonymRow[]>(() => rowsOf(saved));
  const [wanted, setWanted] = useState('');
  const save = useSettingsWrite({
    ...{ uid, onAnew, saved: { synonyms: saved }, changes: { synonyms: synonymsOf(rows) } },
    message: 'The synonyms are in use',
  });
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
        <TextInput size="xs" aria-label="Find a synonym" placeholder="Find" {...typed(wanted, setWanted)} mb="sm" />
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
      <SettingsFault save={save} onAnew={onAnew} />
      <Group justify="space-between" mt="md">
        <Button variant="light" leftSection={<Icon name="plus" size={16} />} onClick={add}>
          Add a synonym
        </Button>
        <Button onClick={() => save.mutate(false)} loading={save.isPending} disabled={!isChanged}>
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
        {...typed(row.word, (word) => onChange({ ...row, word }))}
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
