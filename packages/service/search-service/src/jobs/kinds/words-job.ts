import { type IndexScope, indexAccess } from '@fossick/instance/access';
import { type RuleBook, wordsSuffice } from '@fossick/search';
import type { SearchRequest } from '@fossick/settings/parameters';
import { found, type JobKind, placeOfSearch } from './job.js';

/** Whether keywords alone decide a hybrid search. */
export interface WordsJob {
  readonly kind: 'words';
  readonly indexUid: string;
  readonly scope: IndexScope;
  readonly request: SearchRequest;
  readonly ruleBook: RuleBook | null;
}

export const WORDS: JobKind<WordsJob, boolean> = {
  place: placeOfSearch,
  run: (engine, { indexUid, scope, request, ruleBook }) =>
    found(engine.withView(indexUid, (view) => wordsSuffice(view, request, ruleBook), indexAccess(scope))),
};
