import type { Task } from '../../api/types.js';

/**
 * Finished tasks in equal spans of time: starts of the spans in seconds since 1970, the number of tasks that finished in each, and of those that
 * failed.
 */
export interface TaskBuckets {
  readonly times: readonly number[];
  readonly finished: readonly number[];
  readonly failed: readonly number[];
  readonly spanSeconds: number;
}
const SPANS_SECONDS = [10, 60, 300, 900, 3_600, 21_600, 86_400, 604_800];
const MAX_BUCKETS = 60;

/** Empty spans before a single first one: a chart of one point in time has no scale. */
const LEAD = 5;

/** Counts the tasks in at most sixty spans of the shortest possible length; empty spans precede a single one. O(tasks). */
export function bucketsOf(tasks: readonly Task[]): TaskBuckets {
  const ends = tasks.flatMap(({ finishedAt, status }) =>
    finishedAt === null ? [] : [{ second: Date.parse(finishedAt) / 1000, isFailed: status === 'failed' }],
  );
  const seconds = ends.map(({ second }) => second);
  const [first, last] = [Math.min(...seconds), Math.max(...seconds)];
  const span = SPANS_SECONDS.find((each) => (last - first) / each < MAX_BUCKETS) ?? SPANS_SECONDS.at(-1)!;
  if (ends.length === 0) return { times: [], finished: [], failed: [], spanSeconds: span };
  const isAlone = Math.floor(first / span) === Math.floor(last / span);
  const start = (Math.floor(first / span) - (isAlone ? LEAD : 0)) * span;
  const count = Math.floor((last - start) / span) + 1;
  const times = Array.from({ length: count }, (_, at) => start + at * span);
  const [finished, failed] = [new Array<number>(count).fill(0), new Array<number>(count).fill(0)];
  for (const { second, isFailed } of ends) {
    const at = Math.floor((second - start) / span);
    finished[at]! += 1;
    if (isFailed) failed[at]! += 1;
  }
  return { times, finished, failed, spanSeconds: span };
}
