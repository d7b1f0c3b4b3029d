import { Button } from '@mantine/core';
import { useLocation } from 'wouter';
import { call } from '../../api/client.js';
import { useWrite } from '../../api/queries.js';
import type { Settings, TaskReceipt } from '../../api/types.js';
import { indexPath } from '../../parts/current-index.js';
import { FaultNote } from '../../parts/fault-note.js';
import { sendFile } from '../../parts/send-file.js';

interface Sample {
  readonly indexUid: string;
  readonly primaryKey: string;
  readonly settings: Settings;
  /** As NDJSON. */
  readonly documents: string;
}

/** Loads the films that the server ships, for a first look. */
export function SampleFilms() {
  const [, navigate] = useLocation();
  const load = useWrite(loadSample, (_, { indexUid }) => navigate(indexPath(indexUid ?? '')));
  return (
    <>
      <Button variant="light" mt="xs" loading={load.isPending} onClick={() => load.mutate(undefined)}>
        Load sample films
      </Button>
      {load.error !== null && <FaultNote fault={load.error} />}
    </>
  );
}

/** The last of its tasks; the others are done before. */
async function loadSample(): Promise<TaskReceipt> {
  const { indexUid, primaryKey, settings, documents } = await call<Sample>('GET', '/dashboard/sample.json');
  const path = `/indexes/${encodeURIComponent(indexUid)}`;
  await call('POST', '/indexes', { body: { uid: indexUid, primaryKey } });
  await call('PATCH', `${path}/settings`, { body: settings });
  const target = { uid: indexUid, primaryKey, isPartial: false, skipsFaulty: false };
  const receipts = await sendFile(new File([documents], 'films.ndjson'), target, () => undefined);
  return receipts.at(-1)!;
}
