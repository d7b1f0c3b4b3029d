import { DEFAULT_PAGE_LIMIT, type ErrorCode, MAX_LISTED_TASK_ERRORS } from '@fossick/base';
import {
  checked,
  choice,
  described,
  exampleText,
  type Field,
  flag,
  indexUid,
  inQuery,
  type Kind,
  kindOf,
  listOf,
  optional,
  type Parser,
  queryInteger,
  queryListOrStar,
  shown,
  wrongValue,
} from '@fossick/base/contract';
import { shownTaskType, TASK_STATUS_NAMES, TASK_TYPE_NAMES, type TaskStatus } from '../names/task-names.js';
import { filterDate } from '../reading/dates.js';

const U32_MAX = 0xffff_ffff;
const parseUid: Parser<number> = (value, where) => {
  const number = queryInteger(value, where);
  if (number > U32_MAX) throw wrongValue(where, `${number} does not fit into 32 bits.`);
  return number;
};
/** A number of a task or batch, or of results. */
const uid = (says: string) =>
  kindOf(
    parseUid,
    { type: 'integer', minimum: 0, maximum: U32_MAX, ...described(says) },
    'a non-negative integer of 32 bits',
  );
/** A list that restricts, or a star, which is null and does not. */
const restriction = <T, R>(
  item: Kind<T>,
  parse: Parser<R>,
  says: string,
  examples: readonly unknown[] = [],
): Kind<readonly R[] | null> =>
  checked(shown(listOf(item, { says, examples }), { minItems: 1 }), queryListOrStar(parse));
const uids = (says: string): Kind<readonly number[] | null> => restriction(uid(''), parseUid, says, [[1, 2]]);

/** A name of the list in upper or lower case. */
const nameOf =
  <T extends string>(names: readonly T[]): Parser<T> =>
  (value, where) => {
    const found = names.find((name) => name.toLowerCase() === (value as string).trim().toLowerCase());
    if (found !== undefined) return found;
    throw wrongValue(where, `\`${value}\` is not one of ${names.map((name) => `\`${name}\``).join(', ')}.`);
  };
/** Types of tasks, with those of extensions. */
const typesWith = (added: readonly string[]): string[] => [
  ...new Set((TASK_TYPE_NAMES as readonly string[]).concat(added)),
];
/** A task type, also one of `added`; upgrades have two names. */
const typeName =
  (added: readonly string[]): Parser<string> =>
  (value, where) =>
    (value as string).trim().toLowerCase() === 'databaseupgrade'
      ? 'upgradeDatabase'
      : nameOf(typesWith(added))(value, where);
const statuses: Kind<readonly TaskStatus[] | null> = restriction(
  choice(TASK_STATUS_NAMES),
  nameOf(TASK_STATUS_NAMES),
  'Only of these statuses.',
);

/** Microseconds since 1970. */
const date = (code: ErrorCode, side: 'after' | 'before', says: string): Field<number | undefined, null> =>
  optional(code, checked(exampleText(says, '2030-01-31', '2030-01-31T12:00:00Z'), filterDate(side)));

/** Query of a cancelation or deletion of tasks. `added`: types of extensions. */
export const taskFilterQuery = (added: readonly string[]) =>
  inQuery({
    uids: optional('invalid_task_uids', uids('Only these tasks, or batches that hold one of them.')),
    batchUids: optional('invalid_batch_uids', uids('Only of these batches.')),
    canceledBy: optional('invalid_task_canceled_by', uids('Only those canceled by these tasks.')),
    types: optional(
      'invalid_task_types',
      restriction(choice(typesWith(added).map(shownTaskType)), typeName(added), 'Only of these types.'),
    ),
    statuses: optional('invalid_task_statuses', statuses),
    indexUids: optional('invalid_index_uid', restriction(indexUid, indexUid.inQuery, 'Only of these indexes.')),
    afterEnqueuedAt: date('invalid_task_after_enqueued_at', 'after', 'Only those registered later.'),
    beforeEnqueuedAt: date('invalid_task_before_enqueued_at', 'before', 'Only those registered earlier.'),
    afterStartedAt: date('invalid_task_after_started_at', 'after', 'Only those begun later.'),
    beforeStartedAt: date('invalid_task_before_started_at', 'before', 'Only those begun earlier.'),
    afterFinishedAt: date('invalid_task_after_finished_at', 'after', 'Only those finished later.'),
    beforeFinishedAt: date('invalid_task_before_finished_at', 'before', 'Only those finished earlier.'),
  });
/** Query of a list of tasks or batches. `added`: types of extensions. */
export const taskListQuery = (added: readonly string[]) =>
  inQuery({
    limit: optional('invalid_task_limit', uid('Results to answer at most.'), DEFAULT_PAGE_LIMIT),
    from: optional('invalid_task_from', uid('Number of the first result.')),
    reverse: optional('invalid_task_reverse', flag('The oldest first.'), false),
    ...taskFilterQuery(added),
  });
export const TASK_FILTER_QUERY = taskFilterQuery([]);
export const TASK_LIST_QUERY = taskListQuery([]);

const parseErrorsLimit: Parser<number> = (value, where) => {
  const limit = queryInteger(value, where);
  if (limit <= MAX_LISTED_TASK_ERRORS) return limit;
  throw wrongValue(where, `${limit} is more than ${MAX_LISTED_TASK_ERRORS}.`);
};
/** Query of the documents that a task left out. */
export const TASK_ERRORS_QUERY = inQuery({
  offset: optional('invalid_task_errors_offset', uid('Errors to skip.'), 0),
  limit: optional(
    'invalid_task_errors_limit',
    checked(shown(uid('Errors to answer at most.'), { maximum: MAX_LISTED_TASK_ERRORS }), parseErrorsLimit),
    DEFAULT_PAGE_LIMIT,
  ),
});
