import {
  checkIndexUid,
  FACET_SEARCH_BODY,
  FETCH_BODY,
  readFields,
  SEARCH_BODY,
  SIMILAR_BODY,
  wrongType,
} from '@fossick/api';
import { ApiError, type JsonObject } from '@fossick/base';
import { errorsOfPage } from '@fossick/documents/document-errors';
import { OPEN_ACCESS } from '@fossick/instance/access';
import { deletionByFilter, deletionOfIds, type OpenInstance, onDocumentErrorOf, withAddition } from '@fossick/runtime';
import {
  answerDocument,
  answerDocuments,
  answerFacetSearch,
  answerSearch,
  answerSimilar,
  indexStats,
  readSettings,
  requireInfo,
  settingsTask,
  shownSettings,
} from '@fossick/search-service';
import {
  type Added,
  type AddOptions,
  type DocumentSource,
  documentLines,
  indexingProgress,
  readAddOptions,
  requireSource,
} from './add-documents.js';
import type { DocumentId, DocumentsPage, DocumentsQuery, FieldName, Filter } from './documents.js';
import { given, plain } from './plain-arguments.js';
import type {
  FacetAnswer,
  FacetParameters,
  SearchAnswer,
  SearchParameters,
  SimilarAnswer,
  SimilarParameters,
} from './search-types.js';
import type { Session } from './session.js';
import type { Settings, SettingsChange } from './settings.js';

export interface GetOptions<T extends object> {
  readonly fields?: readonly FieldName<T>[] | undefined;
  readonly retrieveVectors?: boolean | undefined;
}
export interface IndexStats {
  readonly numberOfDocuments: number;
  /** Bytes of the index on disk. */
  readonly indexSize: number;
  /** Bytes of its live pages. */
  readonly usedIndexSize: number;
  /** Bytes of the stored documents. */
  readonly rawDocumentDbSize: number;
  readonly avgDocumentSize: number;
  readonly isIndexing: boolean;
  readonly numberOfEmbeddings: number;
  readonly numberOfEmbeddedDocuments: number;
  /** Number of documents with each field. */
  readonly fieldDistribution: Readonly<Record<string, number>>;
}

const ID = { code: 'invalid_document_id', path: '.id' } as const;
const GET_OPTIONS = { fields: FETCH_BODY.fields, retrieveVectors: FETCH_BODY.retrieveVectors };

/** The text of an id in either form; undefined for what is none. */
function documentIdOf(id: unknown): string | undefined {
  return typeof id === 'string' || typeof id === 'number' || typeof id === 'bigint' ? String(id) : undefined;
}

/** Answers of the server are JSON text. */
const parsed = <A>(json: Buffer | string): A => JSON.parse(json.toString('utf8')) as A;

/**
 * One index of an engine, with documents of one type. Changes resolve once they are on disk and visible to every
 * search, or reject with an ApiError and have changed nothing. The first change creates the index.
 */
export class Index<T extends object = Record<string, unknown>> {
  readonly uid: string;
  private readonly session: Session;

  /** @internal */
  constructor(session: Session, uid: string) {
    this.uid = checkIndexUid(plain(uid) as string);
    this.session = session;
  }

  /**
   * Adds documents; a document with an existing id replaces the stored one. All of them are added, or on any error
   * none.
   */
  add(documents: DocumentSource<T>, options: AddOptions = {}): Promise<Added> {
    return this.store('replace', documents, options);
  }

  /** Adds documents; for an existing id only the given fields are changed. */
  update(documents: DocumentSource<Partial<T>>, options: AddOptions = {}): Promise<Added> {
    return this.store('update', documents, options);
  }

  /** Deletes documents by id, or all that match a filter. Returns how many there were. */
  delete(which: DocumentId | readonly DocumentId[] | { readonly filter: Filter }): Promise<number> {
    return this.session.use(async (instance) => {
      const asked = plain(which);
      const isFilter = !Array.isArray(asked) && documentIdOf(asked) === undefined;
      const task = isFilter
        ? deletionByFilter(instance, this.uid, { body: asked, isChecked: false })
        : deletionOfIds(this.uid, Array.isArray(asked) ? asked : [asked]);
      return count(await this.session.run(task), 'deletedDocuments');
    });
  }

  /** Deletes all documents; the index and its settings stay. Returns how many there were. */
  clear(): Promise<number> {
    return this.session.use(async () => {
      const details = await this.session.run({ type: 'documentDeletion', indexUid: this.uid, target: { by: 'all' } });
      return count(details, 'deletedDocuments');
    });
  }

  /** Deletes the index, its settings and its documents. False when it did not exist. */
  drop(): Promise<boolean> {
    return this.session.use(async ({ engine }) => {
      if (engine.index(this.uid) === undefined) return false;
      await this.session.run({ type: 'indexDeletion', indexUid: this.uid });
      return true;
    });
  }

  /** Searches. Without a query it finds every document that matches the filter. */
  search<const P extends SearchParameters<T>>(q?: string | null, parameters?: P): Promise<SearchAnswer<T, P>> {
    return this.read(async (instance) => {
      const body = readFields({ ...given(parameters), q: plain(q) ?? null }, SEARCH_BODY);
      return parsed(await answerSearch(instance, OPEN_ACCESS, this.uid, body, { withMetadata: false }));
    });
  }

  /** Values of a facet that begin with a text, typos allowed, and the number of documents with each. */
  facetSearch(facet: FieldName<T>, query?: string | null, parameters?: FacetParameters<T>): Promise<FacetAnswer> {
    return this.read(async (instance) => {
      const named = { facetName: plain(facet), facetQuery: plain(query) ?? null };
      const body = readFields({ ...given(parameters), ...named }, FACET_SEARCH_BODY);
      return parsed(await answerFacetSearch(instance, OPEN_ACCESS, this.uid, body));
    });
  }

  /** Documents whose vectors are near those of a given document. */
  similar<const P extends SimilarParameters<T>>(id: DocumentId, parameters: P): Promise<SimilarAnswer<T, P>> {
    return this.read(async (instance) => {
      const body = readFields({ ...given(parameters), id: plain(id) ?? null }, SIMILAR_BODY);
      return parsed(await answerSimilar(instance, OPEN_ACCESS, this.uid, body));
    });
  }

  /** One document; undefined when there is none with that id. */
  get(id: DocumentId, options?: GetOptions<T>): Promise<T | undefined> {
    return this.read(async (instance) => {
      const documentId = documentIdOf(plain(id));
      if (documentId === undefined) throw wrongType(ID, 'a string or an integer', plain(id));
      const query = readFields(given(options), GET_OPTIONS);
      try {
        return parsed<T>(await answerDocument(instance, OPEN_ACCESS, { indexUid: this.uid, documentId }, query));
      } catch (error) {
        if (error instanceof ApiError && error.code === 'document_not_found') return undefined;
        throw error;
      }
    });
  }

  /** A page of documents, without ranking. */
  documents(query?: DocumentsQuery<T>): Promise<DocumentsPage<T>> {
    return this.read(async (instance) => {
      const body = readFields(given(query), FETCH_BODY);
      return parsed(await answerDocuments(instance, OPEN_ACCESS, this.uid, body));
    });
  }

  /** All settings, defaults written out. Secrets of embedders are masked but for their beginning. */
  settings(): Promise<Settings<T>> {
    return this.read(({ engine, features }) => {
      const settings = engine.settings(requireInfo(engine, this.uid).uid);
      const shown: object = JSON.parse(JSON.stringify(shownSettings(settings, features)));
      return shown as Settings<T>;
    });
  }

  /** Changes settings; stored documents are indexed again as far as the change requires. */
  updateSettings(change: SettingsChange<T>): Promise<void> {
    return this.session.use(async (instance) => {
      const received = readSettings(given(change));
      await this.session.run(settingsTask(instance, this.uid, received, OPEN_ACCESS.mayCreateIndex));
    });
  }

  stats(): Promise<IndexStats> {
    return this.read((instance) => {
      requireInfo(instance.engine, this.uid);
      const statsOptions = { size: (bytes: number) => bytes, withTables: false, isIdle: false };
      return indexStats(instance, this.uid, statsOptions) as IndexStats;
    });
  }

  private read<A>(work: (instance: OpenInstance) => A | Promise<A>): Promise<A> {
    return this.session.use(work);
  }

  private store(method: 'replace' | 'update', source: DocumentSource<unknown>, options: AddOptions): Promise<Added> {
    return this.session.use(async (instance) => {
      requireSource(source);
      const { onProgress, primaryKey, skipCreation, onDocumentError } = readAddOptions(options);
      const skipping = onDocumentErrorOf(onDocumentError);
      const additionOptions = {
        indexUid: this.uid,
        method,
        primaryKey,
        allowIndexCreation: true,
        skipCreation,
        ...skipping,
      };
      const body = documentLines(source, (documents) => onProgress?.({ phase: 'reading', documents }));
      const payload = { body, format: { kind: 'ndjson' as const } };
      return withAddition(instance, additionOptions, payload, async (task) => {
        const { documentCount: received } = task;
        const report = onProgress === undefined ? undefined : indexingProgress(onProgress, received);
        const { details, uid } = await this.session.runTask(task, report);
        const indexed = count(details, 'indexedDocuments');
        if (task.onDocumentError === undefined) return { received, indexed };
        const errors = instance.tasks.errorPages(uid).flatMap((page) => errorsOfPage(page));
        return { received, indexed, failed: count(details, 'failedDocuments'), errors };
      });
    });
  }
}

function count(details: JsonObject, name: string): number {
  const value = details[name];
  return typeof value === 'number' ? value : 0;
}
