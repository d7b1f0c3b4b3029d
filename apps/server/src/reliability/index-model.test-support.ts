import type { EngineReader } from '@fossick/index';
import { listDocuments } from '@fossick/search';
import type { Task } from '@fossick/tasks';

/** The documents that tests of the queue send: both `id` and `key` may be the primary key, `n` is filtered by. */
export interface ModelDocument {
  readonly id: number;
  readonly key: number;
  readonly n: number;
  readonly left?: number;
  readonly right?: number;
}
export interface ModelIndex {
  readonly primaryKey: string | null;
  /** By `id`, whatever the primary key is: the two correspond. */
  readonly documents: ReadonlyMap<number, ModelDocument>;
  readonly isFilterable: boolean;
}
export type ModelIndexes = ReadonlyMap<string, ModelIndex>;

/** The contents of indexes of up to 1,000 documents, in the form of the model. */
export function heldIndexes(reader: EngineReader): ModelIndexes {
  return new Map(
    reader.indexes().map(({ uid, primaryKey }) => {
      const query = { offset: 0, limit: 1_000, ids: null, filter: null, sort: null };
      const held = reader.withView(uid, (view) => listDocuments(view, query).documents) as (Record<string, unknown> &
        ModelDocument)[];
      const isFilterable = (reader.settings(uid).filterableAttributes as unknown[]).length > 0;
      return [uid, { primaryKey, documents: new Map(held.map((one) => [one.id, one])), isFilterable }];
    }),
  );
}

const EMPTY: ModelIndex = { primaryKey: null, documents: new Map(), isFilterable: false };
const NOT_FOUND = 'index_not_found';
const EXISTS = 'index_already_exists';
const WRONG_FILTER = 'invalid_document_filter';
const DONE = 'succeeded';

const mayCreateIndex = ({ content }: Task): boolean => 'allowIndexCreation' in content && content.allowIndexCreation;
const isClear = ({ content }: Task): boolean => content.type === 'documentDeletion' && content.target.by === 'all';

/** Applies tasks one at a time to plain maps: the result that every batching of them must have. */
export class IndexModel {
  readonly indexes = new Map<string, ModelIndex>();

  /**
   * Applies a task; returns the code of its error, `succeeded`, or undefined where both are possible. `batch`: the
   * tasks of its batch, because a deletion of the index or of all its documents makes the work of the others
   * unnecessary.
   */
  apply({ uid, content }: Task, batch: readonly Task[], documents: readonly ModelDocument[]): string | undefined {
    switch (content.type) {
      case 'documentAdditionOrUpdate':
      case 'documentDeletion':
      case 'settingsUpdate': {
        const mayCreate = batch.some(mayCreateIndex);
        if (batch.at(-1)!.content.type === 'indexDeletion') {
          if (!this.indexes.has(content.indexUid) && mayCreate) this.indexes.set(content.indexUid, EMPTY);
          return undefined;
        }
        if (!this.indexes.has(content.indexUid)) {
          if (!mayCreate) return NOT_FOUND;
          this.indexes.set(content.indexUid, EMPTY);
        }
        const index = this.indexes.get(content.indexUid)!;
        if (content.type === 'settingsUpdate') {
          const isFilterable = (content.settings['filterableAttributes'] as unknown[]).length > 0;
          this.indexes.set(content.indexUid, { ...index, isFilterable });
          return DONE;
        }
        if (batch.some(isClear)) {
          this.indexes.set(content.indexUid, { ...index, documents: new Map() });
          return DONE;
        }
        return content.type === 'documentDeletion'
          ? this.deleteDocuments(content.indexUid, content.target)
          : this.addDocuments(content.indexUid, content.method, content.primaryKey, documents);
      }
      case 'documentEdition': {
        const index = this.indexes.get(content.indexUid);
        if (index === undefined) return NOT_FOUND;
        this.keep(content.indexUid, index, (one) => ({ ...one, n: one.n + 1 }));
        return DONE;
      }
      case 'indexCreation':
        if (this.indexes.has(content.indexUid)) return EXISTS;
        this.indexes.set(content.indexUid, { ...EMPTY, primaryKey: content.primaryKey });
        return DONE;
      case 'indexDeletion':
        return this.indexes.delete(content.indexUid) ? DONE : NOT_FOUND;
      case 'indexUpdate':
        return this.updateIndex(content.indexUid, content.primaryKey ?? null, content.newUid ?? content.indexUid);
      case 'indexSwap':
        return this.swap(content.swaps[0]!.indexes, content.swaps[0]!.rename);
      case 'indexCompaction':
        return undefined; // it runs before older tasks, which may create or remove its index
      default:
        return uid < 0 ? undefined : DONE;
    }
  }

  /**
   * A batch that is canceled while it runs leaves only the index that it has created. `batch`: the tasks that had
   * begun.
   */
  cancel({ content }: Task, batch: readonly Task[]): void {
    if (
      !('indexUid' in content) ||
      this.indexes.has(content.indexUid) ||
      batch.at(-1)?.content.type === 'indexDeletion'
    )
      return;
    if (batch.some(mayCreateIndex)) this.indexes.set(content.indexUid, EMPTY);
  }

  private addDocuments(
    indexUid: string,
    method: 'replace' | 'update',
    given: string | null,
    documents: readonly ModelDocument[],
  ): string {
    const index = this.indexes.get(indexUid)!;
    if (index.primaryKey !== null && given !== null && given !== index.primaryKey)
      return 'index_primary_key_already_exists';
    const held = new Map(index.documents);
    for (const one of documents) held.set(one.id, method === 'replace' ? one : { ...held.get(one.id), ...one });
    this.indexes.set(indexUid, { ...index, primaryKey: index.primaryKey ?? given ?? 'id', documents: held });
    return DONE;
  }

  private deleteDocuments(
    indexUid: string,
    target: { readonly by: string; readonly ids?: readonly string[]; readonly filter?: unknown },
  ): string {
    const index = this.indexes.get(indexUid)!;
    if (target.by === 'filter') {
      if (!index.isFilterable) return WRONG_FILTER;
      const n = Number((target.filter as string).slice('n = '.length));
      this.keep(indexUid, index, (one) => (one.n === n ? undefined : one));
      return DONE;
    }
    const ids = new Set(target.ids);
    this.keep(indexUid, index, (one) =>
      ids.has(String(index.primaryKey === 'key' ? one.key : one.id)) ? undefined : one,
    );
    return DONE;
  }

  private updateIndex(indexUid: string, primaryKey: string | null, newUid: string): string {
    const index = this.indexes.get(indexUid);
    if (index === undefined) return NOT_FOUND;
    if (newUid !== indexUid && this.indexes.has(newUid)) return EXISTS;
    if (primaryKey !== null && index.documents.size > 0 && primaryKey !== index.primaryKey)
      return 'index_primary_key_already_exists';
    this.indexes.delete(indexUid);
    this.indexes.set(newUid, { ...index, primaryKey: primaryKey ?? index.primaryKey });
    return DONE;
  }

  private swap([left, right]: readonly [string, string], isRename: boolean): string {
    const [first, second] = [this.indexes.get(left), this.indexes.get(right)];
    if (first === undefined || (!isRename && second === undefined)) return NOT_FOUND;
    if (isRename && second !== undefined) return EXISTS;
    this.indexes.set(right, first);
    if (second === undefined) this.indexes.delete(left);
    else this.indexes.set(left, second);
    return DONE;
  }

  private keep(
    indexUid: string,
    index: ModelIndex,
    change: (document: ModelDocument) => ModelDocument | undefined,
  ): void {
    const kept = [...index.documents.values()].map(change).filter((one) => one !== undefined);
    this.indexes.set(indexUid, { ...index, documents: new Map(kept.map((one) => [one.id, one])) });
  }
}
