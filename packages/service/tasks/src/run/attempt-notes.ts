import type { TaskLog } from '../log/task-log.js';
import type { AttemptMark } from './attempt-mark.js';

const U32_MAX = 0xffff_ffff;

/**
 * A mark in the log itself, for nodes that share a log: another node, which runs the tasks next, has no file of this
 * one. How long tasks ran is not noted, because each note is an entry of the shared log. A note whose tasks are all
 * finished is the same as none. `processName`: one that no other process has.
 */
export function openAttemptNotes(log: TaskLog, processName: string): AttemptMark {
  return {
    write: ({ running, waiting, isTrial }) => {
      const id = 1 + Math.floor(Math.random() * U32_MAX);
      const attempt = { id, process: processName, running, waiting, isTrial };
      log.change([{ kind: 'noteAttempt', attempt }], 'later');
    },
    ranFor: () => {},
    clear: () => {
      if (log.attempt() !== undefined) log.change([{ kind: 'noteAttempt', attempt: null }], 'later');
    },
    read: () => {
      const note = log.attempt();
      if (note === undefined) return undefined;
      const { process, ...attempt } = note;
      const hasEnded = note.running.length > 0 && note.running.every((uid) => log.get(uid)?.finishedAt !== null);
      return hasEnded ? undefined : { ...attempt, ranMs: 0, isOfThisProcess: process === processName };
    },
    close: () => {},
  };
}
