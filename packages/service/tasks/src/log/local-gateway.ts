import type { Task } from '../task/task.js';
import type { NewTask } from './new-task.js';
import type { TaskGateway } from './port.js';
import type { TaskLog } from './task-log.js';

/** The part of the log that a gateway uses. */
export type GatewayLog = Pick<TaskLog, 'enqueueAll' | 'flush' | 'seal'>;

/**
 * The gateway of a log that only this process writes: one transaction for all tasks of a call. `onVisible` is called as
 * soon as readers see them: the writer begins while the disk makes them durable, which the answers wait for without
 * blocking this thread. So if nothing else runs, a task has begun before its sender can send another.
 */
export function openLocalGateway(log: GatewayLog, onVisible: (tasks: readonly Task[]) => void): TaskGateway {
  const register = async (entries: readonly NewTask[]): Promise<readonly PromiseSettledResult<Task>[]> => {
    let tasks: readonly Task[];
    try {
      tasks = log.enqueueAll(entries, 'later');
    } catch (reason) {
      if (entries.length === 1) return [{ status: 'rejected', reason }];
      // a task that the log refuses must not prevent the others
      return (await Promise.all(entries.map((entry) => register([entry])))).flat();
    }
    onVisible(tasks);
    try {
      await log.flush();
    } catch (reason) {
      return tasks.map(() => ({ status: 'rejected', reason }));
    }
    return tasks.map((value) => ({ status: 'fulfilled', value }));
  };
  return {
    enqueue: register,
    caughtUp: () => Promise.resolve(),
    seal: () => log.seal(),
  };
}
