/** All kinds of jobs of search threads. */

import type { EngineReader } from '@fossick/index';
import { RECEIVED_BODY, type ReceivedBodyJob, SYNTAX, type SyntaxJob } from './kinds/bodies/check-jobs.js';
import { TOOL_BODY, type ToolBodyJob } from './kinds/bodies/tool-body.js';
import { DOCUMENT, DOCUMENTS, type DocumentJob, type DocumentsJob } from './kinds/documents-job.js';
import { FACETS, type FacetsJob } from './kinds/facets-job.js';
import { FEDERATED, type FederatedJob } from './kinds/federated-job.js';
import type { JobKind, JobPlace, JobResult, SizeOf } from './kinds/job.js';
import { NETWORKED, type NetworkedJob } from './kinds/networked-job.js';
import {
  NETWORKED_DOCUMENT,
  NETWORKED_DOCUMENTS,
  NETWORKED_FACETS,
  type NetworkedDocumentJob,
  type NetworkedDocumentsJob,
  type NetworkedFacetsJob,
} from './kinds/networked-lists.js';
import { RENDER, type RenderJob } from './kinds/render-template.js';
import { RENDERED, type RenderedJob } from './kinds/rendered-search.js';
import {
  RECEIVED_SETTINGS,
  type ReceivedSettingsJob,
  SHOWN_SETTINGS,
  type ShownSettingsJob,
} from './kinds/settings-job.js';
import { SIMILAR, type SimilarJob } from './kinds/similar-job.js';
import { SEARCH, type SingleSearchJob } from './kinds/single-search.js';
import { WORDS, type WordsJob } from './kinds/words-job.js';

export type SearchJob =
  | SingleSearchJob
  | RenderedJob
  | WordsJob
  | SyntaxJob
  | FacetsJob
  | DocumentsJob
  | DocumentJob
  | RenderJob
  | SimilarJob
  | FederatedJob
  | NetworkedJob
  | NetworkedFacetsJob
  | NetworkedDocumentsJob
  | NetworkedDocumentJob
  | ReceivedBodyJob
  | ToolBodyJob
  | ReceivedSettingsJob
  | ShownSettingsJob;
type Kind = SearchJob['kind'];

const KINDS = {
  search: SEARCH,
  rendered: RENDERED,
  words: WORDS,
  syntax: SYNTAX,
  facets: FACETS,
  documents: DOCUMENTS,
  document: DOCUMENT,
  render: RENDER,
  similar: SIMILAR,
  federated: FEDERATED,
  networked: NETWORKED,
  networkedFacets: NETWORKED_FACETS,
  networkedDocuments: NETWORKED_DOCUMENTS,
  networkedDocument: NETWORKED_DOCUMENT,
  receivedBody: RECEIVED_BODY,
  toolBody: TOOL_BODY,
  receivedSettings: RECEIVED_SETTINGS,
  shownSettings: SHOWN_SETTINGS,
} as const satisfies { readonly [K in Kind]: JobKind<Extract<SearchJob, { kind: K }>, unknown> };

/** The result of a job of this kind. */
export type ResultOf<K extends Kind> = ReturnType<(typeof KINDS)[K]['run']>;

/** The kind of a job; the table above fits each job to its own. */
const kindOf = (job: SearchJob): JobKind<SearchJob, unknown> => KINDS[job.kind] as JobKind<SearchJob, unknown>;

/** @throws ApiError for an invalid request */
export function runHere<J extends SearchJob>(engine: EngineReader, job: J): ResultOf<J['kind']> {
  return kindOf(job).run(engine, job) as ResultOf<J['kind']>;
}

export function placeOf(job: SearchJob, sizes: SizeOf): JobPlace {
  return kindOf(job).place(job, sizes);
}

export type { JobResult };
