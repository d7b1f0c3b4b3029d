import { ApiError, errorToJson } from '@fossick/base';
import { pruneFields } from '@fossick/documents';
import { type DocumentsPage, type DocumentsQuery, mergeDocuments } from '@fossick/engine';
import type { ServerContext } from '../context.js';
import { type Remote, readNetwork } from '../network/network.js';
import { badResponse } from '../network/remote-answer.js';
import { isJsonObject } from '../wire/fields.js';

type Document = Readonly<Record<string, unknown>>;
/** What of documents is shown. */
export interface DocumentsShown {
  readonly fields: readonly string[] | null;
  readonly retrieveVectors: boolean;
}
/** A page of the documents of all instances; `remoteErrors` by name of those that failed. */
export interface NetworkPage extends DocumentsPage {
  readonly remoteErrors: Readonly<Record<string, object>>;
}
type Outcome = DocumentsPage | { readonly name: string; readonly error: ApiError };

/** The other instances of the network, by name. */
function others({ values }: ServerContext): readonly [string, Remote][] {
  const { self, remotes } = readNetwork(values);
  return Object.entries(remotes).filter(([name]) => name !== self);
}

/**
 * Reads documents of the index on every instance (spec 01 section 2.2): those of this one first, then remote by remote in the order of
 * their names, or all of them by `sort`. An instance that fails is left out. The key of the network has to be allowed `documents.get` there.
 * @param readHere the documents of this instance, as they are stored, for a query
 * @param show how these are shown; remotes answer with theirs as they are shown
 */
export async function networkDocuments(
  context: ServerContext,
  indexUid: string,
  query: DocumentsQuery,
  shown: DocumentsShown,
  readHere: (query: DocumentsQuery) => Promise<DocumentsPage> | DocumentsPage,
  show: (document: Record<string, unknown>) => Record<string, unknown>,
): Promise<NetworkPage> {
  const { offset, limit, sort } = query;
  const end = offset + limit;
  const isSorted = sort !== null && sort.length > 0;
  const own = await readHere(isSorted ? { ...query, offset: 0, limit: end } : query);
  // unsorted, documents of remotes come behind all of this instance
  const needed = isSorted ? end : Math.max(0, end - own.total);
  const fields = isSorted ? null : shown.fields;
  const outcomes = await askAll(context, indexUid, { ...query, offset: 0, limit: needed }, { ...shown, fields });
  const pages = outcomes.filter((outcome) => 'documents' in outcome);
  const total = own.total + pages.reduce((sum, page) => sum + page.total, 0);
  const failed = outcomes.flatMap((outcome) => ('error' in outcome ? [outcome] : []));
  const remoteErrors = Object.fromEntries(
    failed.map(({ name, error }) => [name, errorToJson(error.code, error.message)] as const),
  );
  const theirs = pages.map((page) => page.documents);
  if (!isSorted) {
    const from = Math.max(0, offset - own.total);
    const behind = theirs.flat().slice(from, from + limit - own.documents.length);
    return { documents: [...own.documents.map(show), ...behind], total, remoteErrors };
  }
  const isOwn = new Set<Document>(own.documents);
  const page = mergeDocuments([own.documents, ...theirs], sort).slice(offset, end);
  const documents = page.map((document) => (isOwn.has(document) ? show(document) : pruned(document, shown)));
  return { documents, total, remoteErrors };
}

/**
 * The document of this id on one of the other instances; undefined when none has it.
 * @throws ApiError of a remote that failed when no other one has the document
 */
export async function networkDocument(
  context: ServerContext,
  indexUid: string,
  id: string,
  shown: DocumentsShown,
): Promise<Document | undefined> {
  const query: DocumentsQuery = { offset: 0, limit: 1, ids: [id], filter: null, sort: null };
  const outcomes = await askAll(context, indexUid, query, shown);
  const found = outcomes.flatMap((outcome) => ('documents' in outcome ? outcome.documents : []))[0];
  if (found !== undefined) return found;
  for (const outcome of outcomes)
    if ('error' in outcome)
      throw new ApiError(outcome.error.code, `Remote \`${outcome.name}\`: ${outcome.error.message}`);
  return undefined;
}

function askAll(
  context: ServerContext,
  indexUid: string,
  { offset, limit, ids, filter, sort }: DocumentsQuery,
  { fields, retrieveVectors }: DocumentsShown,
): Promise<Outcome[]> {
  const signal = AbortSignal.timeout(context.remotes.timeoutMs);
  const body = { offset, limit, ids, filter, sort, fields, retrieveVectors, useNetwork: false };
  const ask = async ([name, remote]: readonly [string, Remote]): Promise<Outcome> => {
    try {
      return await context.remotes.post(remote, {
        path: `/indexes/${indexUid}/documents/fetch`,
        body: Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null)),
        signal,
        read: (answer) => readPage(answer, limit),
      });
    } catch (error) {
      if (error instanceof ApiError) return { name, error };
      throw error;
    }
  };
  return Promise.all(others(context).map(ask));
}

function readPage(answer: unknown, limit: number): DocumentsPage {
  const { results, total } = isJsonObject(answer) ? answer : {};
  if (!Array.isArray(results) || !results.every(isJsonObject))
    throw badResponse('The answer is no page of documents: it has no `results`.');
  if (!Number.isSafeInteger(total) || (total as number) < 0)
    throw badResponse('The answer does not count its documents.');
  return { documents: results.slice(0, limit), total: total as number };
}

function pruned(document: Document, { fields, retrieveVectors }: DocumentsShown): Document {
  if (fields === null || fields.includes('*')) return document;
  const { _vectors, ...rest } = document;
  const shown = pruneFields(rest, fields);
  return retrieveVectors && _vectors !== undefined ? { ...shown, _vectors } : shown;
}
