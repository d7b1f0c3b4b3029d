import type { Json, JsonObject } from '@fossick/base';
import { setOwn } from '@fossick/base';
import type { AddedContent } from './content.js';

/**
 * A kind of task that an extension adds: plain data, so that every thread has it, also while the extension is left out. Its tasks
 * come before those of indexes, and after what the queue itself does. A runner of the extension in the writer thread does them.
 */
export interface TaskKind {
  /**
   * Its name, with which its tasks are stored: tasks of a kind that nobody knows any more are listed all the same. Filters take it,
   * and answers and metrics name it. A task that concerns one index has its uid as the member `indexUid` of its content.
   */
  readonly type: string;
  /** Which of the waiting tasks make a batch: the oldest one, or all. */
  readonly takes: 'oldest' | 'all';
  /**
   * Members of its details, from those of the content; what a run adds comes after them. Null: it has no details. Keys that do not
   * see every index do not see the members of `indexes` that name one of the others.
   */
  readonly details: readonly TaskDetail[] | null;
  /** Steps of its work in their order: the position of a step is its progress. */
  readonly steps?: readonly string[];
}
export interface TaskDetail {
  readonly name: string;
  /** The member of the content that it shows, when that has another name. */
  readonly member?: string;
  /** It is left out when there is nothing to show; others are null then. */
  readonly isOptional?: true;
}

/** Details of a task before it has run; null for a kind that has none, or that is not known. */
export function addedDetails(content: AddedContent, kinds: readonly TaskKind[]): JsonObject | null {
  const details = kinds.find(({ type }) => type === content.type)?.details ?? null;
  if (details === null) return null;
  const members = new Map<string, Json>(Object.entries(content));
  const shown: Record<string, Json> = {};
  for (const { name, member = name, isOptional } of details) {
    const value = members.get(member) ?? null;
    if (value !== null || isOptional !== true) setOwn(shown, name, value);
  }
  return shown;
}
