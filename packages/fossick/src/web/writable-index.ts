import { ApiError, type ErrorCode, foreignText, isErrorCode } from '@fossick/base';
import { type AdditionOperation, type DeletionOperation, idText, toJsonText } from '@fossick/documents';
import type { EngineReader } from '@fossick/index/memory';
import type { BatchOperation, EngineWriter, OperationOutcome, WriteContext } from '@fossick/index/memory-writer';
import { readSettings, settingsTask, shownSettings } from '@fossick/search-service/forms';
import type { Added, AddOptions } from '../add-documents.js';
import type { DocumentId, Filter } from '../documents.js';
import { given } from '../plain-arguments.js';
import type { Settings, SettingsChange } from '../settings.js';
import { ReadableIndex, type Runner } from './readable-index.js';

/** What a change works with. */
export interface ChangeTools {
  readonly writer: EngineWriter;
  readonly reader: EngineReader;
  /** Lines of documents, by the names that operations give. */
  readonly payloads: Map<string, readonly string[]>;
}
export type Changing<R> = (tools: ChangeTools) => R | Promise<R>;
type Changer = <R>(work: Changing<R>) => Promise<R>;

/** Figures of an index in memory. */
export interface WebIndexStats {
  readonly numberOfDocuments: number;
  /** Bytes of the stored documents. */
  readonly rawDocumentDbSize: number;
  readonly avgDocumentSize: number;
  /** Number of documents with each field. */
  readonly fieldDistribution: Readonly<Record<string, number>>;
}

const CONTEXT: WriteContext = {
  isCanceled: () => false,
  onProgress: () => undefined,
  maxIndexingBytes: 128 << 20,
  isMoreWaiting: () => false,
};
const PAYLOAD = 'documents';

/** One index of an engine in memory. A change resolves when every search sees it, or rejects and has changed nothing. */
export class WritableIndex<T extends object = Record<string, unknown>> extends ReadableIndex<T> {
  private readonly change: Changer;

  /** @internal */
  constructor(run: Runner, uid: string, change: Changer) {
    super(run, uid);
    this.change = change;
  }

  /** Adds documents; a document with an existing id replaces the stored one. All are added, or on any error none. */
  add(documents: Iterable<T> | AsyncIterable<T>, options: Omit<AddOptions, 'onProgress'> = {}): Promise<Added> {
    return this.store('replace', documents, options);
  }

  /** Adds documents; for an existing id only the given fields are changed. */
  update(documents: Iterable<Partial<T>> | AsyncIterable<Partial<T>>, options: Omit<AddOptions, 'onProgress'> = {}) {
    return this.store('update', documents, options);
  }

  /** Adds documents as lines of JSON (NDJSON), whose numbers keep every digit. @throws ApiError malformed_payload among others */
  addNdjson(text: string, options: Omit<AddOptions, 'onProgress'> = {}): Promise<Added> {
    const lines = text.split('\n').filter((line) => line.trim() !== '');
    return this.storeLines('replace', lines, options);
  }

  /** Deletes documents by id, or all that match a filter. Returns how many there were. */
  delete(which: DocumentId | readonly DocumentId[] | { readonly filter: Filter }): Promise<number> {
    const isFilter = typeof which === 'object' && !Array.isArray(which);
    if (isFilter) return this.remove({ by: 'filter', filter: (which as { readonly filter: Filter }).filter });
    const ids = (Array.isArray(which) ? (which as readonly DocumentId[]) : [which as DocumentId]).map(
      (id) => idText(id) ?? '',
    );
    return this.remove({ by: 'ids', ids });
  }

  /** Deletes all documents; the index and its settings stay. Returns how many there were. */
  clear(): Promise<number> {
    return this.remove({ by: 'all' });
  }

  /** Deletes the index. False when it did not exist. */
  drop(): Promise<boolean> {
    return this.change(async ({ writer }) => {
      if (writer.index(this.uid) === undefined) return false;
      await writer.deleteIndex(this.uid);
      return true;
    });
  }

  /** All settings, defaults written out. @throws ApiError index_not_found */
  settings(): Promise<Settings<T>> {
    return this.run(({ engine, features }) => {
      const shown: object = JSON.parse(JSON.stringify(shownSettings(engine.settings(this.uid), features)));
      return shown as Settings<T>;
    });
  }

  /** Changes settings; stored documents are indexed again as far as the change requires. @throws ApiError */
  async updateSettings(change: SettingsChange<T>): Promise<void> {
    const received = readSettings(given(change));
    const { settings } = await this.run((context) => settingsTask(context, this.uid, received, () => true));
    await this.change(({ writer }) => writer.applySettings(this.uid, [settings as object], CONTEXT));
  }

  /** @throws ApiError index_not_found */
  stats(): Promise<WebIndexStats> {
    return this.run(({ engine }) => {
      const { numberOfDocuments, rawDocumentDbSize, avgDocumentSize, fieldDistribution } = engine.stats(this.uid);
      return { numberOfDocuments, rawDocumentDbSize, avgDocumentSize, fieldDistribution };
    });
  }

  private async store(
    method: AdditionOperation['method'],
    documents: Iterable<unknown> | AsyncIterable<unknown>,
    options: Omit<AddOptions, 'onProgress'>,
  ): Promise<Added> {
    const lines: string[] = [];
    for await (const document of documents) lines.push(toJsonText(document));
    return this.storeLines(method, lines, options);
  }

  private async storeLines(
    method: AdditionOperation['method'],
    lines: readonly string[],
    { primaryKey, skipCreation = false }: Omit<AddOptions, 'onProgress'>,
  ): Promise<Added> {
    const operation = {
      type: 'documentAdditionOrUpdate',
      method,
      payloadFile: PAYLOAD,
      primaryKey: primaryKey ?? null,
      skipCreation,
    } as const;
    const outcome = await this.change(async (tools) => {
      tools.payloads.set(PAYLOAD, lines);
      try {
        return await applied(tools.writer, this.uid, operation);
      } finally {
        tools.payloads.delete(PAYLOAD);
      }
    });
    return { received: lines.length, indexed: outcome.indexedDocuments ?? 0 };
  }

  private remove(target: DeletionOperation['target']): Promise<number> {
    return this.change(async ({ writer }) => {
      if (writer.index(this.uid) === undefined) return 0;
      return (await applied(writer, this.uid, { type: 'documentDeletion', target })).deletedDocuments ?? 0;
    });
  }
}

async function applied(writer: EngineWriter, uid: string, operation: BatchOperation): Promise<OperationOutcome> {
  const [outcome] = await writer.applyDocuments(uid, [operation], CONTEXT);
  const error = outcome?.error;
  if (error === undefined) return outcome!;
  const code: ErrorCode = isErrorCode(error.code) ? error.code : 'internal';
  throw new ApiError(code, foreignText(error.message));
}
