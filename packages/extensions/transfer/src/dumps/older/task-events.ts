import { upgradedError } from './older-error.js';
import { type Loose, looseOf, variantOf } from './older-version.js';
import { additionKind, clearKind, deletionKind, settingsKind, type TaskKind } from './task-kinds.js';
import type { UpgradedTask } from './updates.js';

/** The course of a task according to its events. */
interface Course {
  readonly status: string;
  readonly enqueuedAt: unknown;
  readonly startedAt: unknown;
  readonly finishedAt: unknown;
  readonly result?: Loose;
  readonly error?: Loose;
}

/**
 * A task of V4, where the index is next to the content, or V5, where it is a member of it; undefined for an unknown
 * kind. The task that made the dump, still running in it, counts as succeeded at the time of the dump (`dumpDate`).
 */
export function taskOfEvents(task: Loose, dumpDate: unknown): UpgradedTask | undefined {
  const [name, value] = variantOf(task.content);
  const members = looseOf(value);
  const course = courseOf(task.events);
  const kind = kindOf(name, value, course.result);
  if (kind === undefined) return undefined;
  const isMaking = name === 'Dump' && course.status === 'processing';
  const status = isMaking ? 'succeeded' : course.status === 'processing' ? 'enqueued' : course.status;
  const indexUid = name === 'Dump' ? null : (task.index_uid ?? members.index_uid);
  const { enqueuedAt, startedAt, error } = course;
  const isOver = status !== 'enqueued';
  return {
    line: {
      ...{ uid: task.id, batchUid: null, indexUid, status, type: kind.type },
      ...(isOver && kind.details !== undefined ? { details: kind.details } : {}),
      ...(error === undefined ? {} : { error: upgradedError(error.code, error.message) }),
      enqueuedAt,
      ...(isOver ? { startedAt, finishedAt: isMaking ? dumpDate : course.finishedAt } : {}),
    },
    ...(!isOver && typeof members.content_uuid === 'string'
      ? { payload: { name: members.content_uuid, format: 'ndjson' as const } }
      : {}),
  };
}

function courseOf(events: unknown): Course {
  let course: Course = { status: 'enqueued', enqueuedAt: null, startedAt: null, finishedAt: null };
  for (const event of Array.isArray(events) ? events : []) {
    const [name, value] = variantOf(event);
    const { timestamp, result, error } = looseOf(value);
    if (name === 'Created') course = { ...course, enqueuedAt: value };
    if (name === 'Processing') course = { ...course, status: 'processing', startedAt: course.startedAt ?? value };
    // V4 has this spelling
    if (name === 'Succeded' || name === 'Succeeded')
      course = { ...course, status: 'succeeded', finishedAt: timestamp, result: looseOf(variantOf(result)[1]) };
    if (name === 'Failed') course = { ...course, status: 'failed', finishedAt: timestamp, error: looseOf(error) };
  }
  return course;
}

function kindOf(name: string, value: unknown, result: Loose | undefined): TaskKind | undefined {
  const members = looseOf(value);
  const count = (number: unknown): number | undefined => (typeof number === 'number' ? number : undefined);
  const deleted = count(result?.deleted_documents);
  switch (name) {
    case 'DocumentAddition':
      return additionKind(members, Number(members.documents_count ?? 0), count(result?.indexed_documents));
    case 'DocumentDeletion': {
      // V4: "Clear" or {"Ids": …}; V5 has them below `deletion`
      const [target, ids] = variantOf(members.deletion ?? value);
      return target === 'Clear' ? clearKind(deleted) : deletionKind(Array.isArray(ids) ? ids : [], deleted);
    }
    case 'SettingsUpdate':
      return settingsKind(members.settings);
    case 'IndexDeletion':
      return deleted === undefined
        ? { type: 'indexDeletion' }
        : { type: 'indexDeletion', details: { ClearAll: { deleted_documents: deleted } } };
    case 'IndexCreation':
      return { type: { indexCreation: { primary_key: members.primary_key ?? null } } };
    case 'IndexUpdate':
      return { type: { indexUpdate: { primary_key: members.primary_key ?? null } } };
    case 'Dump':
      return { type: { dumpCreation: {} }, details: { Dump: { dump_uid: members.uid ?? null } } };
    default:
      return undefined;
  }
}
