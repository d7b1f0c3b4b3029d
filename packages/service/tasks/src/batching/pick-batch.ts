import { INDEX_PREFIX } from '../log/layout.js';
import type { TaskLog } from '../log/task-log.js';
import type { UidSet } from '../log/uid-set.js';
import { indexUidOf, payloadOf, type TaskContent } from '../task/content.js';
import type { Task } from '../task/task.js';
import { BatchGrower, type IndexLookup } from './joins.js';
import { batchMaxOf, isOnTrial, QuarantineWaits } from './poison-tasks.js';

export interface PickOptions {
  readonly findIndex: IndexLookup;
  /** Tasks per batch; 0 processes nothing. */
  readonly tasksMax?: number;
  /** Payload bytes per batch; the first task is always taken. */
  readonly payloadBytesMax?: number;
  /** When tasks may run that may have ended the process; at once when absent. */
  readonly waits?: QuarantineWaits;
}
export interface PickedBatch {
  readonly tasks: readonly Task[];
  /** One sentence for people that says why the batch ended where it did. */
  readonly strategy: string;
}
/** Tasks that must wait because the process ended while they ran, as far as they were met. */
export interface HeldTasks {
  readonly uids: readonly number[];
  /** When the first of them may run, on the clock of QuarantineWaits; infinity when there are none. */
  readonly untilMs: number;
}
export interface Pick {
  /** The tasks to run next; undefined when nothing waits, or only tasks that must wait. */
  readonly batch: PickedBatch | undefined;
  readonly held: HeldTasks;
}

const EVERYTHING = 'Every waiting task was taken.';
/**
 * Task types that come before the lowest uid, in order, which of their tasks make one batch, and whether others may run
 * while one of them must wait: not when their result depends on what was done before.
 */
interface TaskClass {
  readonly type: string;
  readonly takes: 'newest' | 'oldest' | 'all';
  readonly isBarrier: boolean;
}
const OF_QUEUE: readonly TaskClass[] = [
  { type: 'taskCancelation', takes: 'newest', isBarrier: true },
  { type: 'upgradeDatabase', takes: 'all', isBarrier: true },
  { type: 'networkTopologyChange', takes: 'oldest', isBarrier: true },
  { type: 'taskDeletion', takes: 'all', isBarrier: true },
  { type: 'indexCompaction', takes: 'oldest', isBarrier: false },
];
const classesOf = ({ kinds }: TaskLog): readonly TaskClass[] => [
  ...OF_QUEUE,
  ...kinds.map(({ type, takes }) => ({ type, takes, isBarrier: false })),
];
/** Stands for the search rules among names of indexes: no index has this name. */
const RULES = ' rules';

/**
 * The tasks to run next. Reads only the waiting tasks that it needs. A task that must wait holds up the tasks after it
 * that concern one of its indexes; all others run.
 */
export function pickBatch(log: TaskLog, options: PickOptions): Pick {
  const held = new Held(options.waits ?? new QuarantineWaits());
  const waiting = log.finder.set('status:enqueued');
  if (options.tasksMax === 0 || waiting.chunks.size === 0) return { batch: undefined, held };
  const classes = classesOf(log);
  for (const { type, takes, isBarrier } of classes) {
    const all = [...log.finder.within(waiting, `type:${type}`).uids()];
    const wanted = takes === 'all' ? all : takes === 'newest' ? all.slice(-1) : all.slice(0, 1);
    const tasks = together(wanted.map((uid) => log.get(uid)).filter((task) => task !== undefined));
    if (tasks.length === 0) continue;
    if (!held.holds(tasks[0]!))
      return { batch: { tasks, strategy: takes === 'all' ? EVERYTHING : alone(tasks[0]!) }, held };
    if (isBarrier) return { batch: undefined, held };
  }
  const classTypes = new Set(classes.map(({ type }) => type));
  return { batch: pickInOrder({ log, waiting, classTypes }, held, options), held };
}

/** The batch of the first waiting task that neither must wait itself nor comes after one that it may not overtake. */
function pickInOrder({ log, waiting, classTypes }: Queue, held: Held, options: PickOptions): PickedBatch | undefined {
  const blocked = new Set<string>();
  let left = waiting;
  for (let from = 0; ; ) {
    const uid = left.uids(false, from).next();
    if (uid.done === true) return undefined;
    from = uid.value + 1;
    const task = log.get(uid.value);
    if (task === undefined || classTypes.has(task.content.type)) continue;
    const names = namesOf(task.content);
    if (!names.some((name) => blocked.has(name)) && !held.holds(task))
      return growFrom(task, { log, waiting, classTypes }, options);
    for (const name of names) {
      if (blocked.has(name)) continue;
      blocked.add(name);
      // a long queue of one index is skipped as a whole
      if (name !== RULES) left = left.without(log.finder.within(left, `${INDEX_PREFIX}${name}`));
    }
  }
}

/** The names of indexes that a task concerns. */
function namesOf(content: TaskContent): readonly string[] {
  if (content.type === 'dsrUpdate' || content.type === 'dsrClear') return [RULES];
  if (content.type === 'indexSwap') return content.swaps.flatMap(({ indexes }) => indexes);
  const indexUid = indexUidOf(content);
  if (indexUid === null) return [];
  return content.type === 'indexUpdate' && content.newUid !== undefined ? [indexUid, content.newUid] : [indexUid];
}

class Held implements HeldTasks {
  readonly uids: number[] = [];
  untilMs = Number.POSITIVE_INFINITY;
  private readonly waits: QuarantineWaits;

  constructor(waits: QuarantineWaits) {
    this.waits = waits;
  }

  /** Whether the task must wait; then it is noted. */
  holds(task: Task): boolean {
    const dueMs = this.waits.dueAt(task);
    if (dueMs <= this.waits.now()) return false;
    this.uids.push(task.uid);
    this.untilMs = Math.min(this.untilMs, dueMs);
    return true;
  }
}

interface Queue {
  readonly log: TaskLog;
  readonly waiting: UidSet;
  /** Types that come before the lowest uid. */
  readonly classTypes: ReadonlySet<string>;
}

/** Waiting tasks after `uid` that are in at least one of the stored sets, ascending; read lazily. */
function* waitingAfter(uid: number, { log, waiting }: Queue, setNames: readonly string[]): Generator<Task> {
  // usually nothing waits after it, so no set is read
  if (waiting.uids(false, uid + 1).next().done === true) return;
  const wanted = setNames.map((name) => log.finder.within(waiting, name)).reduce((left, right) => left.union(right));
  for (const one of wanted.uids(false, uid + 1)) {
    const task = log.get(one);
    if (task !== undefined) yield task;
  }
}

function growFrom(first: Task, queue: Queue, options: PickOptions): PickedBatch {
  const indexUid = indexUidOf(first.content);
  const isRule = first.content.type === 'dsrUpdate' || first.content.type === 'dsrClear';
  let batchMax = batchMaxOf(first);
  if (batchMax === 1)
    return { tasks: [first], strategy: `The process ended when task ${first.uid} ran before; it is tried alone.` };
  if (indexUid === null && !isRule) return { tasks: [first], strategy: alone(first) };
  const grower = new BatchGrower(first, indexUid === null ? undefined : options.findIndex(indexUid));
  const tasks: Task[] = [first];
  let payloadBytes = payloadBytesOf(first);
  const sets = isRule ? ['type:dsrUpdate', 'type:dsrClear'] : [`${INDEX_PREFIX}${indexUid}`];
  const exchange = isRule ? undefined : new ExchangeWatch(indexUid!, first.uid, queue);
  for (const task of waitingAfter(first.uid, queue, sets)) {
    const barrier = exchange?.before(task.uid);
    if (barrier !== undefined) {
      const strategy = `Stopped before task ${barrier.uid} (${barrier.content.type}), after which \`${indexUid}\` may be another index.`;
      return { tasks, strategy };
    }
    if (tasks.length >= (options.tasksMax ?? Number.POSITIVE_INFINITY)) {
      return { tasks, strategy: 'The batch reached the limit of tasks in one batch.' };
    }
    batchMax = Math.min(batchMax, batchMaxOf(task));
    if (tasks.length >= batchMax)
      return { tasks, strategy: 'The process ended when some of the tasks ran before; fewer run together.' };
    payloadBytes += payloadBytesOf(task);
    if (payloadBytes > (options.payloadBytesMax ?? Number.POSITIVE_INFINITY)) {
      return { tasks, strategy: 'The batch reached the limit of payload bytes in one batch.' };
    }
    if (isOnTrial(task) || !grower.join(task)) {
      const strategy = `Stopped before task ${task.uid} (${task.content.type}), which cannot join the tasks before it.`;
      return { tasks, strategy };
    }
    tasks.push(task);
  }
  return { tasks, strategy: isRule ? EVERYTHING : `Every waiting task of the index ${indexUid} was taken.` };
}

/**
 * The waiting tasks that give the name of an index to another index: tasks after such a task mean the other index,
 * although they are listed under the same name as the tasks before it.
 */
class ExchangeWatch {
  private readonly indexUid: string;
  private readonly waiting: Iterator<Task>;
  private next: Task | undefined;

  constructor(indexUid: string, firstUid: number, queue: Queue) {
    this.indexUid = indexUid;
    this.waiting = waitingAfter(firstUid, queue, ['type:indexSwap', 'type:indexUpdate']);
    this.next = this.read();
  }

  /** The first of them with a lower uid; `uid` must not decrease from call to call. Reads each waiting task once. */
  before(uid: number): Task | undefined {
    while (this.next !== undefined && this.next.uid < uid) {
      if (changesUid(this.next, this.indexUid)) return this.next;
      this.next = this.read();
    }
    return undefined;
  }

  private read(): Task | undefined {
    const { done, value } = this.waiting.next();
    return done === true ? undefined : value;
  }
}

function changesUid({ content }: Task, indexUid: string): boolean {
  if (content.type === 'indexSwap') return content.swaps.some(({ indexes }) => indexes.includes(indexUid));
  return content.type === 'indexUpdate' && (content.newUid === indexUid || content.indexUid === indexUid);
}

/** The first of these tasks that may run together. */
function together(tasks: readonly Task[]): readonly Task[] {
  let batchMax = Number.POSITIVE_INFINITY;
  const end = tasks.findIndex((task, at) => {
    batchMax = Math.min(batchMax, batchMaxOf(task));
    return at > 0 && (at >= batchMax || isOnTrial(task));
  });
  return end < 0 ? tasks : tasks.slice(0, end);
}

function payloadBytesOf(task: Task): number {
  return payloadOf(task.content)?.payloadBytes ?? 0;
}

function alone(task: Task): string {
  return `Task ${task.uid} (${task.content.type}) is never batched with another.`;
}
