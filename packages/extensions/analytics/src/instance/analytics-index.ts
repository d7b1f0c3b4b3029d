import { Readable } from 'node:stream';
import { OPEN_ACCESS } from '@fossick/instance/access';
import { type Instance, withAddition } from '@fossick/runtime';
import { runJob } from '@fossick/search-service';
import type { TaskContent } from '@fossick/tasks';
import { ANALYTICS_INDEX_UID } from '../documents/index-uid.js';
import type { AnalyticsIndex, HourDocument, RowsQuery } from '../documents/port.js';

/** Documents that are read and parsed at a time: some milliseconds. */
const PAGE_DOCUMENTS = 1_000;
const SETTINGS = {
  searchableAttributes: ['query', 'name', 'index'],
  filterableAttributes: ['kind', 'index', 'query', 'name', 'node', 'hour', 'searches', 'withoutHits', 'clicks'],
  sortableAttributes: ['hour', 'searches', 'withoutHits', 'clicks', 'conversions'],
};
const SHOWN = { fields: null, retrieveVectors: false };

/** The index of analytics of an instance: its tasks and its documents. */
export class InstanceAnalyticsIndex implements AnalyticsIndex {
  private readonly instance: Instance;

  constructor(instance: Instance) {
    this.instance = instance;
  }

  put(documents: readonly object[]): Promise<number> {
    const isNew = this.instance.engine.index(ANALYTICS_INDEX_UID) === undefined;
    // two nodes may make it at the same time: the second update of the settings changes nothing
    const first = isNew ? [settingsOf(ANALYTICS_INDEX_UID, SETTINGS)] : [];
    return putDocuments(this.instance, ANALYTICS_INDEX_UID, documents, first);
  }

  async remove(filter: string): Promise<void> {
    if (this.instance.engine.index(ANALYTICS_INDEX_UID) === undefined) return;
    const target = { by: 'filter', filter } as const;
    await this.instance.intake.enqueue({ type: 'documentDeletion', indexUid: ANALYTICS_INDEX_UID, target });
  }

  async compact(): Promise<void> {
    await this.instance.intake.enqueue({ type: 'indexCompaction', indexUid: ANALYTICS_INDEX_UID });
  }

  outcome(task: number): boolean | null {
    const status = this.instance.tasks.get(task)?.status;
    if (status === 'enqueued' || status === 'processing') return null;
    // a task that was deleted had ended
    return status === undefined || status === 'succeeded';
  }

  bytes(): number {
    const { engine } = this.instance;
    return engine.index(ANALYTICS_INDEX_UID) === undefined ? 0 : engine.indexSize(ANALYTICS_INDEX_UID).diskBytes;
  }

  async rows({ filter, sort, limit }: RowsQuery): Promise<readonly HourDocument[]> {
    const { engine } = this.instance;
    const rows: HourDocument[] = [];
    while (rows.length < limit) {
      // between its creation and its settings the index has nothing to read
      if (
        engine.index(ANALYTICS_INDEX_UID)?.primaryKey !== 'id' ||
        !hasSortable(engine.settings(ANALYTICS_INDEX_UID), SETTINGS.sortableAttributes)
      )
        break;
      const query = {
        offset: rows.length,
        limit: Math.min(PAGE_DOCUMENTS, limit - rows.length),
        ids: null,
        filter,
        sort,
      };
      const { scope } = OPEN_ACCESS;
      const job = { kind: 'documents', indexUid: ANALYTICS_INDEX_UID, query, shown: SHOWN, scope } as const;
      const { value } = await runJob(this.instance, job);
      const { results } = JSON.parse(value.toString('utf8')) as { readonly results: readonly HourDocument[] };
      rows.push(...results);
      if (results.length < query.limit) break;
    }
    return rows;
  }
}

/** Whether settings have these sortable attributes: an index that a client made has others. */
export function hasSortable(
  { sortableAttributes }: { readonly sortableAttributes: Iterable<string> },
  wanted: readonly string[],
): boolean {
  const names = new Set(sortableAttributes);
  return wanted.every((name) => names.has(name));
}

/** The task that makes an index with these settings. */
export const settingsOf = (indexUid: string, settings: Readonly<Record<string, string[]>>): TaskContent => ({
  type: 'settingsUpdate',
  indexUid,
  settings,
  allowIndexCreation: true,
});

/** Registers `first` and then the addition of documents, all in one commit; resolves with the number of the addition. */
export function putDocuments(
  { intake, payloadFolder }: Pick<Instance, 'intake' | 'payloadFolder'>,
  indexUid: string,
  documents: readonly object[],
  first: readonly TaskContent[],
): Promise<number> {
  const additionOptions = {
    indexUid,
    method: 'replace',
    primaryKey: 'id',
    allowIndexCreation: true,
    skipCreation: false,
  } as const;
  const body = Readable.from(linesOf(documents));
  return withAddition({ payloadFolder }, additionOptions, { body, format: { kind: 'ndjson' } }, async (addition) => {
    const tasks = await Promise.all([...first, addition].map((content) => intake.enqueue(content)));
    return tasks.at(-1)!.uid;
  });
}

/** Lines of a hundred documents at a time, so that other requests run in between. */
function* linesOf(documents: readonly object[]): Generator<Buffer> {
  for (let at = 0; at < documents.length; at += 100)
    yield Buffer.from(
      documents
        .slice(at, at + 100)
        .map((document) => `${JSON.stringify(document)}\n`)
        .join(''),
    );
}
