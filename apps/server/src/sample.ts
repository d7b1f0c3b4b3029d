import { readFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { brotliDecompressSync } from 'node:zlib';
import type { Instance } from '@fossick/runtime';
import { withAddition } from '@fossick/runtime';

/** The films of the repository; the published package has them compressed (tools/packages). */
const FILE = fileURLToPath(new URL('../../../data/movies-sample.ndjson', import.meta.url));
const INDEX_UID = 'movies';
const SETTINGS = {
  searchableAttributes: ['title', 'overview', 'cast', 'genres'],
  filterableAttributes: ['genres', 'year', 'cast'],
  sortableAttributes: ['year', 'title'],
  faceting: { sortFacetValuesBy: { '*': 'count' } },
};

async function films(): Promise<Buffer> {
  const bytes = await readFile(FILE);
  return FILE.endsWith('.br') ? brotliDecompressSync(bytes) : bytes;
}

/** What the dashboard loads on demand, as JSON: the index with its settings, and its documents as the text of NDJSON. */
export async function sampleJson(): Promise<Buffer> {
  const documents = (await films()).toString('utf8');
  return Buffer.from(JSON.stringify({ indexUid: INDEX_UID, primaryKey: 'id', settings: SETTINGS, documents }));
}

/**
 * Registers the tasks that create the index of sample films: all in one commit, so that a killed process leaves either
 * all of them or none. @throws what the task log throws, and errors of the file system
 */
export async function loadSample({ intake, payloadFolder }: Pick<Instance, 'intake' | 'payloadFolder'>): Promise<void> {
  const body = Readable.from([await films()]);
  const additionOptions = {
    indexUid: INDEX_UID,
    method: 'replace',
    primaryKey: 'id',
    allowIndexCreation: true,
    skipCreation: false,
  } as const;
  await withAddition({ payloadFolder }, additionOptions, { body, format: { kind: 'ndjson' } }, (addition) =>
    Promise.all([
      intake.enqueue({ type: 'indexCreation', indexUid: INDEX_UID, primaryKey: 'id' }),
      intake.enqueue({ type: 'settingsUpdate', indexUid: INDEX_UID, settings: SETTINGS, allowIndexCreation: true }),
      intake.enqueue(addition),
    ]),
  );
}

interface IndexList {
  indexes(): readonly { readonly uid: string }[];
}

/**
 * Resolves once no task of the films' index waits or runs: with null when they can be searched, else with the reason why
 * not, a sentence without its full stop. Unresolved when the instance is closed before.
 */
export async function sampleFault({
  tasks,
  taskChanges,
  engine,
}: Pick<Instance, 'tasks' | 'taskChanges'> & { readonly engine: IndexList }): Promise<string | null> {
  const isUnfinished = { indexUids: [INDEX_UID], statuses: ['enqueued', 'processing'] } as const;
  const uids = tasks.uids(isUnfinished);
  await new Promise<void>((resolve) => {
    const look = (): void => {
      if (tasks.count(isUnfinished) > 0) return;
      stopListening();
      resolve();
    };
    const stopListening = taskChanges.listen(look);
    look();
  });
  const lost = uids
    .map((uid) => tasks.get(uid))
    .find((task) => task?.status === 'failed' || task?.status === 'canceled');
  if (lost !== undefined) return lost.error?.message.replace(/\.$/, '') ?? `task ${lost.uid} was canceled`;
  const isThere = engine.indexes().some(({ uid }) => uid === INDEX_UID);
  return isThere ? null : `the database has other indexes, and none is called \`${INDEX_UID}\``;
}
