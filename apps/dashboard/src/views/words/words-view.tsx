import { Button, Group, SimpleGrid, TagsInput, Text, Title } from '@mantine/core';
import { useFreshSettings } from '../../api/queries.js';
import { Answered } from '../../parts/answered.js';
import { useIndexUid } from '../../parts/current-index.js';
import { ViewHead } from '../../parts/view-head.js';
import { Synonyms, type WordsProps } from './synonyms.js';
import './words.css';
import { useState } from 'react';
import { SettingsFault, useSettingsWrite } from '../../parts/settings-write.js';
import { useUnsaved } from '../../parts/unsaved.js';

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
