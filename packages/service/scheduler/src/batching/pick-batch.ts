import { INDEX_PREFIX } from '../log/layout.js';
import type { TaskLog } from '../log/task-log.js';
import type { UidSet } from '../log/uid-set.js';
import { indexUidOf, payloadOf, type TaskType } from '../task/content.js';
import type { Task } from '../task/task.js';
import { BatchGrower, type IndexLookup } from './joins.js';
import { isSuspect } from './suspects.js';

export interface PickOptions {
  readonly findIndex: IndexLookup;
  /** Tasks per batch; 0 processes nothing. */
  readonly tasksMax?: number;
  /** Payload bytes per batch; the first task is always taken. */
  readonly payloadBytesMax?: number;
}
export interface PickedBatch {
  readonly tasks: readonly Task[];
  /** One sentence for people that says why the batch ended where it did. */
  readonly strategy: string;
}

const EVERYTHING = 'Every waiting task was taken.';
/** Task types that come before the lowest uid, in order, and which of their tasks make one batch. */
const CLASSES: readonly { readonly type: TaskType; readonly takes: 'newest' | 'oldest' | 'all' }[] = [
  { type: 'taskCancelation', takes: 'newest' },
  { type: 'upgradeDatabase', takes: 'all' },
  { type: 'networkTopologyChange', takes: 'oldest' },
  { type: 'taskDeletion', takes: 'all' },
  { type: 'indexCompaction', takes: 'oldest' },
  { type: 'export', takes: 'oldest' },
  { type: 'snapshotCreation', takes: 'all' },
  { type: 'dumpCreation', takes: 'oldest' },
];

/** The tasks to run next, or undefined when nothing waits. Reads only the waiting tasks that it needs. */
export function pickBatch(log: TaskLog, options: PickOptions): PickedBatch | undefined {
  if (options.tasksMax === 0) return undefined;
  const waiting = log.finder.set('status:enqueued');
  if (waiting.chunks.size === 0) return undefined;
  for (const { type, takes } of CLASSES) {
    const all = [...log.finder.within(waiting, `type:${type}`).uids()];
    const wanted = takes === 'all' ? all : takes === 'newest' ? all.slice(-1) : all.slice(0, 1);
    const tasks = upToSuspect(wanted.map((uid) => log.get(uid)).filter((task) => task !== undefined));
    if (tasks.length > 0) return { tasks, strategy: takes === 'all' ? EVERYTHING : alone(tasks[0]!) };
  }
  for (const uid of waiting.uids()) {
    const first = log.get(uid);
    if (first !== undefined) return growFrom(first, { log, waiting }, options);
  }
  return undefined;
}

interface Queue {
  readonly log: TaskLog;
  readonly waiting: UidSet;
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
  if (isSuspect(first))
    return { tasks: [first], strategy: `Task ${first.uid} ended the process before; it is tried alone.` };
  if (indexUid === null && !isRule) return { tasks: [first], strategy: alone(first) };
  const grower = new BatchGrower(first, indexUid === null ? undefined : options.findIndex(indexUid));
  const tasks: Task[] = [first];
  let payloadBytes = payloadBytesOf(first);
  const sets = isRule ? ['type:dsrUpdate', 'type:dsrClear'] : [`${INDEX_PREFIX}${indexUid}`];
  const exchange = isRule ? undefined : new ExchangeWatch(indexUid!, first.uid, queue);
  for (const task of waitingAfter(first.uid, queue, sets)) {
    const barrier = exchange?.before(task.uid);
    if (barrier !== undefined) {
      const strategy = `Stopped before task ${barrier.uid} (${barrier.content.type}), behind which \`${indexUid}\` may be another index.`;
      return { tasks, strategy };
    }
    if (tasks.length >= (options.tasksMax ?? Number.POSITIVE_INFINITY)) {
      return { tasks, strategy: 'The batch reached the limit of tasks in one batch.' };
    }
    payloadBytes += payloadBytesOf(task);
    if (payloadBytes > (options.payloadBytesMax ?? Number.POSITIVE_INFINITY)) {
      return { tasks, strategy: 'The batch reached the limit of payload bytes in one batch.' };
    }
    if (isSuspect(task) || !grower.join(task)) {
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

/** The tasks before the first one that must run alone, or only that one. */
function upToSuspect(tasks: readonly Task[]): readonly Task[] {
  const at = tasks.findIndex(isSuspect);
  return at < 0 ? tasks : tasks.slice(0, Math.max(at, 1));
}

function payloadBytesOf(task: Task): number {
  return payloadOf(task.content)?.payloadBytes ?? 0;
}

function alone(task: Task): string {
  return `Task ${task.uid} (${task.content.type}) is never batched with another.`;
}
