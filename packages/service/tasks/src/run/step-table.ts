import type { TaskType } from '@fossick/api';
import { own } from '@fossick/base';

/** Names of steps in their order: the position of a step is its progress. */
export type StepList = readonly string[];

export const PROCESSING = 'processing tasks';
export const WRITING = 'writing tasks to disk';
export const OUTER: StepList = [PROCESSING, WRITING];

const list = (text: string): StepList => text.split(' · ');

const CANCELATION = list('retrieving tasks · canceling upgrade · cleaning compaction leftover · updating tasks');
const DELETION_OF_TASKS = list(
  'retrieving tasks · retrieving batch tasks · deleting tasks date time · deleting batches date time · ' +
    'deleting tasks metadata · deleting batches metadata · deleting tasks · deleting batches',
);
const COMPACTION = list(
  'retrieve the index · create temporary file · copy and compact the index · persist the compacted index · ' +
    'close the index · reopen the index',
);
const ADDITION = list('retrieving config · computing document changes · reading payload stats · indexing');
const EDITION = list('retrieving config · computing document changes · indexing');
const DELETION = list('retrieving config · delete documents · indexing');
const SETTINGS = list('retrieving and merging the settings · apply the settings');
const SWAP = list('ensuring correctness of the swap · swapping the indexes');

/** The steps inside `processing tasks`, by the type of the batch's first task. */
const BY_TYPE: Readonly<Partial<Record<TaskType, StepList>>> = {
  taskCancelation: CANCELATION,
  taskDeletion: DELETION_OF_TASKS,
  indexCompaction: COMPACTION,
  documentAdditionOrUpdate: ADDITION,
  documentEdition: EDITION,
  documentDeletion: DELETION,
  settingsUpdate: SETTINGS,
  indexSwap: SWAP,
  indexCreation: ['creating the index'],
  indexUpdate: ['updating the index'],
  indexDeletion: ['deleting the index'],
};

/** A batch may mix kinds: additions with deletions, settings with a clearing, anything with a deletion of its index. */
const ANY_OF_INDEX: readonly StepList[] = [ADDITION, DELETION, SETTINGS, ['deleting the index']];
/** The last step of the work on one index. */
const COMMIT = list('committing · computing stats');

const INDEXING = list(
  'preparing payloads · assigning documents ids · reordering payload offsets · extracting documents · ' +
    'extracting facets · extracting words · extracting word proximity · extracting embeddings · ' +
    'merging facet caches · merging word caches · merging word proximity · writing geo points · writing geo json · ' +
    'writing embeddings to database · deleting from all filters · deleting from facets only · ' +
    'deleting from comparisons only · deleting from geo databases · waiting for database writes · ' +
    'waiting for extractors · post processing facets · post processing words · building geo json · finalizing',
);
const SETTINGS_WORK = list(
  'changing vector store · using stable indexer · using experimental indexer · deleting old word fid docids · ' +
    'deleting old word fid count docids · deleting old word prefix fid docids',
);
const NESTED: Readonly<Record<string, readonly StepList[]>> = {
  indexing: [INDEXING],
  // vectors are made while documents arrive, before anything is indexed
  'computing document changes': [['extracting embeddings']],
  'apply the settings': [INDEXING, SETTINGS_WORK],
  'merging word caches': [
    list('word docids · word field id docids · exact word docids · word position docids · field id word count docids'),
  ],
  'post processing facets': [
    list('strings bulk · strings incremental · numbers bulk · numbers incremental · facet search'),
  ],
  'post processing words': [
    list(
      'word fst · compute prefix fst · compute prefixes · word prefix docids · exact word prefix docids · ' +
        'word prefix field id docids · word prefix position docids',
    ),
  ],
};
const SWAPPING_PAIR = list('retrieve the tasks · update the tasks · update the indexes metadata');

/** The lists whose steps may run inside `parent`. `added`: the steps of a kind that an extension adds. */
export function listsInside(parent: string, type: TaskType, added?: StepList): readonly StepList[] {
  if (parent !== PROCESSING)
    return own(NESTED, parent) ?? (parent.startsWith('swapping index ') ? [SWAPPING_PAIR] : []);
  const ofType = BY_TYPE[type] ?? added;
  const isOfIndex = ofType !== undefined && ANY_OF_INDEX.includes(ofType);
  return [...(ofType === undefined ? [] : [ofType]), ...(isOfIndex ? ANY_OF_INDEX : []), COMMIT];
}
