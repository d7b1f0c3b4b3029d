import type { ControlWord } from '@fossick/threads';
import type { TaskLog } from '../log/task-log.js';
import type { TaskSelection } from '../task/content.js';

/** The running batch, as the thread that runs tasks has reported it. `work`: its number for the control word. */
interface RunningWork {
  readonly work: number;
  readonly taskUids: readonly number[];
}

/**
 * In the thread that registers tasks: orders the thread that runs them, which may be blocked by its batch, to give the
 * batch up when a waiting cancelation names a task of it. Only this side reads the log.
 */
export class Canceler {
  private readonly log: Pick<TaskLog, 'finder' | 'get'>;
  private readonly control: ControlWord;
  private running: RunningWork | undefined;

  constructor(log: Pick<TaskLog, 'finder' | 'get'>, control: ControlWord) {
    this.log = log;
    this.control = control;
  }

  /** A batch runs. A cancelation of its tasks may have been registered since it was picked. */
  begun(running: RunningWork): void {
    this.running = running;
    this.look();
  }

  /** No batch runs. */
  ended(): void {
    this.running = undefined;
  }

  /** Called when a cancelation may have been registered. Two reads of the log, and one for each waiting cancelation. */
  look(): void {
    if (this.running === undefined) return;
    const { work, taskUids } = this.running;
    const { finder } = this.log;
    const cancelations = [...finder.within(finder.set('status:enqueued'), 'type:taskCancelation').uids()];
    if (cancelations.length === 0) return;
    const uids = new Set(taskUids);
    const isNamed = cancelations.some((uid) => {
      const content = this.log.get(uid)?.content as TaskSelection | undefined;
      return content?.taskUids.some((one) => uids.has(one)) === true;
    });
    if (isNamed) this.control.cancel(work);
  }
}
