import { SimpleGrid } from '@mantine/core';
import { useSettings } from '../../api/queries.js';
import { useIndexUid } from '../../parts/current-index.js';
import { FaultNote } from '../../parts/fault-note.js';
import { ViewHead } from '../../parts/view-head.js';
import { StopWords } from './stop-words.js';
import { Synonyms } from './synonyms.js';
import './words.css';

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
