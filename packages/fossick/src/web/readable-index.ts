import { checkIndexUid } from '@fossick/api/requests';
import { utf8Text } from '@fossick/base';
import type { DocumentId, DocumentsPage, DocumentsQuery, FieldName } from '../documents.js';
import { given } from '../plain-arguments.js';
import type { FacetAnswer, FacetParameters, SearchAnswer, SearchParameters } from '../search-types.js';
import { type AnswerContext, facetAnswer, searchAnswer } from './answers.js';
import { documentsPage, documentText } from './document-answers.js';

/** Runs work on the indexes; it may run several times until all that it needs is there. */
export type Runner = <T>(work: (context: AnswerContext) => T) => Promise<T>;

const parsed = <A>(bytes: Uint8Array): A => JSON.parse(utf8Text(bytes)) as A;

/** The searches of one index, with documents of one type: the same answers as a server gives. */
export class ReadableIndex<T extends object = Record<string, unknown>> {
  readonly uid: string;
  protected readonly run: Runner;

  /** @internal */
  constructor(run: Runner, uid: string) {
    this.uid = checkIndexUid(uid);
    this.run = run;
  }

  /** Searches. Without a query it finds every document that matches the filter. @throws ApiError */
  async search<const P extends SearchParameters<T>>(q?: string | null, parameters?: P): Promise<SearchAnswer<T, P>> {
    return parsed(await this.searchBytes({ ...given(parameters), q: q ?? null }));
  }

  /** The same from the body of a request, as JSON in UTF-8. @throws ApiError */
  searchBytes(body: object): Promise<Uint8Array> {
    return this.run((context) => searchAnswer(context, this.uid, body));
  }

  /** Values of a facet that begin with a text, typos allowed, and the number of documents with each. @throws ApiError */
  async facetSearch(facet: FieldName<T>, query?: string | null, parameters?: FacetParameters<T>): Promise<FacetAnswer> {
    return parsed(await this.facetBytes({ ...given(parameters), facetName: facet, facetQuery: query ?? null }));
  }

  /** The same from the body of a request, as JSON in UTF-8. @throws ApiError */
  facetBytes(body: object): Promise<Uint8Array> {
    return this.run((context) => facetAnswer(context, this.uid, body));
  }

  /** One document; undefined when there is none with that id. */
  async get(id: DocumentId): Promise<T | undefined> {
    const text = await this.run((context) => documentText(context, this.uid, String(id)));
    // through its text, so that long numbers look as they do in answers
    return text === undefined ? undefined : (JSON.parse(text) as T);
  }

  /** A page of documents, without ranking. @throws ApiError */
  async documents(query?: DocumentsQuery<T>): Promise<DocumentsPage<T>> {
    return parsed(await this.run((context) => documentsPage(context, this.uid, given(query))));
  }
}

/** What search clients and hooks search: an index of any kind that this package opens. */
export type SearchableIndex = Pick<ReadableIndex, 'uid' | 'search' | 'facetSearch'>;
