import { setTimeout as pause } from 'node:timers/promises';
import type { TaskAnswer } from '@fossick/api';
import type { InstanceClient } from '@fossick/instance/client';

/** Bytes of payloads that may wait at the target: they use its disk until they are indexed. */
const WAITING_BYTES_MAX = 256 * 2 ** 20;
/** Tasks that may wait there. */
const WAITING_TASKS_MAX = 64;
const FIRST_POLL_MS = 10;
const MAX_POLL_MS = 1_000;

interface Waiting {
  readonly taskUid: number;
  readonly bytes: number;
}
/** Running tasks of the target, in limited number. */
export class TaskQueue {
  private readonly target: InstanceClient;
  private readonly onFailure: (reason: string) => void;
  private waiting: Waiting[] = [];
  private waitingBytes = 0;

  /** `onFailure` is called for every task that did not succeed. */
  constructor(target: InstanceClient, onFailure: (reason: string) => void) {
    this.target = target;
    this.onFailure = onFailure;
  }

  /** Adds a task; waits for the oldest ones above the limit. */
  async add(taskUid: number, bytes: number): Promise<void> {
    this.waiting.push({ taskUid, bytes });
    this.waitingBytes += bytes;
    while (this.waiting.length > WAITING_TASKS_MAX || this.waitingBytes > WAITING_BYTES_MAX) await this.oldestDone();
  }

  /** Resolves when nothing waits. */
  async drain(): Promise<void> {
    while (this.waiting.length > 0) await this.oldestDone();
  }

  private async oldestDone(): Promise<void> {
    const { taskUid, bytes } = this.waiting.shift()!;
    this.waitingBytes -= bytes;
    const { status, error } = await taskEnd(this.target, taskUid);
    if (status !== 'succeeded') this.onFailure(error === null ? `its task ${taskUid} is ${status}` : error.message);
  }
}

/** The finished task. */
export async function taskEnd(target: InstanceClient, taskUid: number): Promise<TaskAnswer> {
  for (let delayMs = FIRST_POLL_MS; ; delayMs = Math.min(delayMs * 1.5, MAX_POLL_MS)) {
    const task = await target.call<TaskAnswer>('GET', `/tasks/${taskUid}`);
    if (task.status !== 'enqueued' && task.status !== 'processing') return task;
    await pause(delayMs);
  }
}
