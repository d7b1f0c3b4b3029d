/** All kinds of jobs of search threads. */

import type { EngineReader } from '@fossick/index';
import { RECEIVED_BODY, SYNTAX } from './kinds/bodies/check-jobs.js';
import { TOOL_BODY } from './kinds/bodies/tool-body.js';
import { DOCUMENT, DOCUMENTS } from './kinds/documents-job.js';
import { FACETS } from './kinds/facets-job.js';
import { FEDERATED } from './kinds/federated-job.js';
import type { JobKind, JobPlace, JobResult, SizeOf } from './kinds/job.js';
import { NETWORKED } from './kinds/networked-job.js';
import { NETWORKED_DOCUMENT, NETWORKED_DOCUMENTS, NETWORKED_FACETS } from './kinds/networked-lists.js';
import { RENDER } from './kinds/render-template.js';
import { RENDERED } from './kinds/rendered-search.js';
import { RECEIVED_SETTINGS, SHOWN_SETTINGS } from './kinds/settings-job.js';
import { SIMILAR } from './kinds/similar-job.js';
import { SEARCH } from './kinds/single-search.js';
import { WORDS } from './kinds/words-job.js';

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
} as const satisfies { readonly [K in string]: JobKind<never, unknown> };
type Kinds = typeof KINDS;
type Kind = keyof Kinds;

/** The job of each kind, as its `run` takes it. */
type Jobs = { readonly [K in Kind]: Parameters<Kinds[K]['run']>[1] & { readonly kind: K } };
export type SearchJob = Jobs[Kind];

/** The result of a job of this kind. */
export type ResultOf<K extends Kind> = ReturnType<Kinds[K]['run']>;

/** The kind of a job; the table above fits each job to its own. */
const kindOf = (job: SearchJob): JobKind<SearchJob, unknown> => KINDS[job.kind] as JobKind<SearchJob, unknown>;

/** @throws ApiError for an invalid request */
export function runHere<J extends SearchJob>(engine: EngineReader, job: J): ResultOf<J['kind']> {
  return kindOf(job).run(engine, job) as ResultOf<J['kind']>;
}

/** Whether the process asks itself, to have its code compiled. */
export const isWarmUp = (job: SearchJob): boolean => job.kind === 'search' && job.isWarmUp === true;

/** Whether a client waits for what the job finds: not for the check of a body, which another job follows. */
export const isAskedFor = (job: SearchJob): boolean => job.kind !== 'receivedBody' && !isWarmUp(job);

export function placeOf(job: SearchJob, sizes: SizeOf): JobPlace {
  return kindOf(job).place(job, sizes);
}

export type { JobResult };
