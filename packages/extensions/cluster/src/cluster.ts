/**
 * The thread of a cluster: follows the log, and is the only one that writes the stores `tasks` and `auth`, and, while
 * another node leads, those of indexes.
 */
import { ownThread } from '@fossick/threads';
import type { ClusterCall, ClusterReport, ClusterStart } from './messages.js';
import { NodeThread } from './thread/node-thread.js';
import { describe } from './threads/sent-errors.js';

const own = ownThread<ClusterStart, ClusterCall, ClusterReport>();
const report = (message: ClusterReport): void => own.send(message);
const fault = (error: unknown): void =>
  report({ kind: 'fault', message: error instanceof Error ? (error.stack ?? error.message) : String(error) });

process.on('unhandledRejection', fault);

const thread = new NodeThread(own.start, report, fault);
own.onCommand(({ id, question }) => {
  thread.answer(question).then(
    (value) => {
      report({ kind: 'answer', id, value });
      if (question.kind === 'stop') own.close();
    },
    (error: unknown) => report({ kind: 'error', id, error: describe(error) }),
  );
});
try {
  await thread.start();
  report({ kind: 'ready' });
} catch (error) {
  report({ kind: 'refused', error: describe(error) });
  own.close();
}
