import type { Task } from '@fossick/tasks';

/** A finished task, of which webhooks are told. */
export const FINISHED_TASK: Task = {
  uid: 7,
  batchUid: 1,
  content: { type: 'indexDeletion', indexUid: 'films' },
  status: 'succeeded',
  canceledBy: null,
  resultDetails: { deletedDocuments: 2 },
  error: null,
  enqueuedAt: 0,
  startedAt: 0,
  finishedAt: 1,
};
