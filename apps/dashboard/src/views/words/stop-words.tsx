import { Button, Group, TagsInput, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { call } from '../../api/client.js';
import { useWrite } from '../../api/queries.js';
import type { TaskReceipt } from '../../api/types.js';
import { FaultNote } from '../../parts/fault-note.js';
import { notify } from '../../parts/notify.js';
import { useUnsaved } from '../../parts/unsaved.js';

/** The editor of stop words. */
export function StopWords({ uid, saved }: { readonly uid: string; readonly saved: readonly string[] }) {
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
