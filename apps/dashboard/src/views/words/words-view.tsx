import { SimpleGrid } from '@mantine/core';
import { useSettings } from '../../api/queries.js';
import { useIndexUid } from '../../parts/current-index.js';
import { ViewHead } from '../../parts/view-head.js';
import { Synonyms } from './synonyms.js';
import './words.css';
import { Button, Group, TagsInput, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { call } from '../../api/client.js';
import { useWrite } from '../../api/queries.js';
import type { TaskReceipt } from '../../api/types.js';
import { FaultNote } from '../../parts/fault-note.js';
import { notify } from '../../parts/notify.js';
import { useUnsaved } from '../../parts/unsaved.js';

/** Synonyms and stop words. */
export function WordsView() {
  const uid = useIndexUid();
  const { data, error } = useSettings(uid);
  if (error !== null) return <FaultNote fault={error} />;
  if (data === undefined) return null;
  const synonyms = data['synonyms'] as Readonly<Record<string, readonly string[]>>;
  const stopWords = data['stopWords'] as readonly string[];
  return (
    <>
      <ViewHead
        title="Synonyms and stop words"
        lead={`What searches in ${uid} take for the same, and what they pass over`}
      />
      <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="lg">
        <Synonyms key={`s ${JSON.stringify(synonyms)}`} uid={uid} saved={synonyms} />
        <StopWords key={`w ${stopWords.join(' ')}`} uid={uid} saved={stopWords} />
      </SimpleGrid>
    </>
  );
}

/** The editor of stop words. */
function StopWords({ uid, saved }: { readonly uid: string; readonly saved: readonly string[] }) {
  const [words, setWords] = useState<readonly string[]>(saved);
  const save = useWrite(
    () => call<TaskReceipt>('PUT', `/indexes/${encodeURIComponent(uid)}/settings/stop-words`, { body: words }),
    () => notify('The stop words are in use'),
  );
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
      {save.error !== null && <FaultNote fault={save.error} />}
      <Group justify="space-between" mt="md">
        <Text size="sm" c="dimmed" className="number">
          {words.length === 1 ? '1 word' : `${words.length} words`}
        </Text>
        <Button onClick={() => save.mutate(undefined)} loading={save.isPending} disabled={!isChanged}>
          Save stop words
        </Button>
      </Group>
    </section>
  );
}
