/** Lives of a process in a time that is only counted: what kills it from outside fails no task, and what its tasks kill fails them alone. */
import { TEST_SEED } from '@fossick/base/test-seed.test-support';
import { openMemoryStore } from '@fossick/storage';
import { describe, expect, it } from 'vitest';
import { pickBatch } from '../batching/pick-batch.js';
import { QuarantineWaits } from '../batching/poison-tasks.js';
import { openTaskLog, type TaskLog } from '../log/task-log.js';
import type { TaskContent } from '../task/content.js';
import { type Attempt, type AttemptMark, NO_MARK } from './attempt-mark.js';
import { finishBatch, withOutcome } from './finish.js';
import { recover } from './recover.js';

const [SECOND, MINUTE, HOUR] = [1_000, 60_000, 3_600_000];
/** From the start of the process until its queue runs, in milliseconds. */
const START_MS = 250;
const seed = TEST_SEED;

/** Random numbers from 0 to 1 (mulberry32). */
function randomOf(start: number): () => number {
  let state = start >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

interface Work {
  readonly indexUid: string;
  /** How long it runs, in milliseconds. */
  readonly runMs: number;
  /** It ends the process when it has run. */
  readonly isPoison?: boolean;
}
/** When a process that begins at this time is killed from outside; Infinity for never. */
type Killer = (startMs: number) => number;

interface Course {
  readonly log: TaskLog;
  readonly lives: number;
  /** Ends of the process by its tasks. */
  readonly suicides: number;
  readonly endMs: number;
  readonly endedAtMs: ReadonlyMap<number, number>;
}

const never: Killer = () => Number.POSITIVE_INFINITY;
const contentOf = (indexUid: string): TaskContent => ({
  type: 'settingsUpdate',
  indexUid,
  settings: {},
  allowIndexCreation: true,
});

/** Runs the work to its end, in as many lives as that takes, or for `livesMax`. */
function run(works: readonly Work[], killer: Killer, random: () => number, livesMax: number): Course {
  const log = openTaskLog(openMemoryStore());
  for (const { indexUid } of works) log.enqueue(contentOf(indexUid));
  let mark: Attempt | undefined;
  let nowMs = 0;
  let [lives, suicides] = [0, 0];
  const endedAtMs = new Map<number, number>();
  const attempts: AttemptMark = {
    ...NO_MARK,
    read: () => mark,
    clear: () => {
      mark = undefined;
    },
  };
  const note = (running: readonly number[], waiting: readonly number[], isTrial: boolean): void => {
    const id = 1 + Math.floor(random() * 0xffff_fffe);
    mark = { id, running, waiting, isTrial, ranMs: 0, isOfThisProcess: false };
  };
  const die = (atMs: number, ranMs: number): void => {
    if (mark !== undefined) mark = { ...mark, ranMs: Math.floor(ranMs / 100) * 100 };
    nowMs = atMs;
  };
  const isOver = (): boolean => log.uids({ statuses: ['enqueued', 'processing'] }).length === 0;
  const live = (): void => {
    const killedMs = killer(nowMs);
    if (killedMs < nowMs + START_MS) return die(killedMs, 0);
    nowMs += START_MS;
    const clock = { now: () => nowMs * 1_000 };
    const executor = { execute: async () => [] };
    recover({ log, attempts, clock, executor, findIndex: () => undefined });
    const waits = new QuarantineWaits({ now: () => nowMs, random });
    while (!isOver()) {
      const { batch, held } = pickBatch(log, { findIndex: () => undefined, waits });
      if (batch === undefined) {
        note([], held.uids, false);
        if (killedMs < held.untilMs) return die(killedMs, 0);
        nowMs = held.untilMs;
        mark = undefined;
        continue;
      }
      const { tasks } = batch;
      note(
        tasks.map(({ uid }) => uid),
        held.uids,
        (tasks[0]!.deaths?.alone ?? 0) >= 2,
      );
      const poisonAt = tasks.findIndex(({ uid }) => works[uid]!.isPoison);
      const ran = poisonAt < 0 ? tasks : tasks.slice(0, poisonAt + 1);
      const runMs = ran.reduce((sum, { uid }) => sum + works[uid]!.runMs, 0);
      if (killedMs < nowMs + runMs) return die(killedMs, killedMs - nowMs);
      if (poisonAt >= 0) {
        suicides += 1;
        return die(nowMs + runMs, runMs);
      }
      nowMs += runMs;
      for (const { uid } of tasks) endedAtMs.set(uid, nowMs);
      const begun = log.batches.begin(tasks, batch.strategy);
      finishBatch(
        log,
        begun.batch,
        begun.tasks.map((task) => withOutcome(task, { status: 'succeeded' }, nowMs * 1_000)),
      );
      mark = undefined;
    }
  };
  for (; lives < livesMax && !isOver(); lives += 1) live();
  return { log, lives, suicides, endMs: nowMs, endedAtMs };
}

/** Tasks of some indexes; their times are spread evenly over the orders of magnitude. */
function innocents(random: () => number, count: number, longestMs: number): Work[] {
  return Array.from({ length: count }, () => ({
    indexUid: `index${Math.floor(random() * 4)}`,
    runMs: Math.exp(random() * Math.log(longestMs)),
  }));
}
const failed = ({ log }: Course): number[] => log.uids({ statuses: ['failed'] });
const doubtless = (course: Course) => ({ failed: failed(course), open: course.log.uids({ statuses: ['enqueued'] }) });

describe(`ends of a process, seed ${seed}`, () => {
  it('fail no task and stop no queue when something kills the process every 30 to 930 ms', () => {
    const random = randomOf(seed);
    const storm: Killer = (startMs) => startMs + 30 + random() * 900;
    // 2,000 kills and more; the queue gets to its end among them
    let kills = 0;
    for (let queue = 0; kills < 2_000; queue += 1) {
      const course = run(innocents(random, 200, 300), storm, random, 4_000);
      expect([queue, doubtless(course)]).toEqual([queue, { failed: [], open: [] }]);
      kills += course.lives;
    }
  }, 120_000);

  it('fail no task when they come at random, seldom or often, while tasks of milliseconds to minutes run', () => {
    for (const meanMs of [SECOND, 10 * SECOND, MINUTE, 10 * MINUTE]) {
      const random = randomOf(seed + meanMs);
      const killer: Killer = (startMs) => startMs - Math.log(1 - random()) * meanMs;
      for (let queue = 0; queue < 10; queue += 1)
        expect([meanMs, queue, failed(run(innocents(random, 20, 2 * MINUTE), killer, random, 200))]).toEqual([
          meanMs,
          queue,
          [],
        ]);
    }
  }, 120_000);

  it('fail no task when the process is always killed at one age, whatever the age, though the task never ends', () => {
    for (const ageMs of [300, SECOND, 3 * SECOND, 10 * SECOND, MINUTE, 5 * MINUTE, 20 * MINUTE, HOUR]) {
      const random = randomOf(seed + ageMs);
      const long = { indexUid: 'a', runMs: 2 * ageMs };
      for (const works of [[long], [long, { indexUid: 'b', runMs: 2 * ageMs }]])
        expect([ageMs, failed(run(works, (startMs) => startMs + ageMs, random, 300))]).toEqual([ageMs, []]);
    }
  }, 120_000);

  it('fail a task that always causes them, after 13 and less than two hours; others do not wait for it', () => {
    for (const runMs of [0, 5, 40 * SECOND]) {
      const random = randomOf(seed);
      const works: Work[] = innocents(random, 30, SECOND);
      works[7] = { indexUid: 'index0', runMs, isPoison: true };
      const course = run(works, never, random, 100);
      expect([runMs, failed(course), course.suicides]).toEqual([runMs, [7], 13]);
      expect(course.endMs).toBeLessThan(2 * HOUR);
      expect(course.log.uids({ statuses: ['succeeded'] })).toHaveLength(29);
      const elsewhere = works.flatMap(({ indexUid }, uid) => (indexUid === 'index0' ? [] : [uid]));
      for (const uid of elsewhere)
        expect([uid, course.endedAtMs.get(uid)! < 4 * (MINUTE + runMs)]).toEqual([uid, true]);
    }
  }, 120_000);

  it('fail each of several such tasks, and only those, though the process is now and then killed from outside', () => {
    for (let queue = 0; queue < 10; queue += 1) {
      const random = randomOf(seed + queue);
      const works: Work[] = innocents(random, 40, SECOND);
      const poison = [3, 11, 12, 30];
      for (const [at, uid] of poison.entries())
        works[uid] = { indexUid: `index${at % 3}`, runMs: random() * SECOND, isPoison: true };
      const killer: Killer = (startMs) => startMs - Math.log(1 - random()) * 4 * HOUR;
      const course = run(works, killer, random, 1_000);
      expect([queue, doubtless(course)]).toEqual([queue, { failed: poison, open: [] }]);
    }
  }, 120_000);
});
