import type { MessageRows } from './message-row.js';

/** Messages of errors of tasks, batches and webhooks, by code. */
export const TASKS_MESSAGES = {
  batch_not_found: (uid: number) => `Batch \`${uid}\` not found.`,
  dump_not_found: (uid: string) => `There is no dump \`${uid}\`.`,
  immutable_webhook: (uuid: string) => `The webhook \`${uuid}\` comes from the command line and stays as it is.`,
  invalid_s3_dump_parameters: (reason: string) => `The dump cannot be uploaded with these options: ${reason}.`,
  invalid_s3_dump_request: (reason: string) => `The object store did not take the dump: ${reason}.`,
  s3_dump_server_error: (reason: string) => `The dump was not uploaded: ${reason}.`,
  invalid_s3_snapshot_parameters: (reason: string) => `The snapshot cannot be uploaded with these options: ${reason}.`,
  invalid_s3_snapshot_request: (reason: string) => `The object store did not take the snapshot: ${reason}.`,
  s3_snapshot_server_error: (reason: string) => `The snapshot was not uploaded: ${reason}.`,
  invalid_task_limit: (maxMib: number) => `The answer would be larger than ${maxMib} MiB. Ask for fewer at a time.`,
  invalid_webhook_headers: {
    tooMany: (maxCount: number, count: number) => `A webhook has at most ${maxCount} headers, not ${count}.`,
    tooLong: (maxBytes: number, byteCount: number) =>
      `The headers of a webhook have at most ${maxBytes} bytes, not ${byteCount}.`,
    notHeader: (name: string) => `\`${name}\` is not a header that HTTP allows.`,
  },
  invalid_webhook_url: () => 'A webhook cannot be without its `url`.',
  invalid_webhook_uuid: (text: string) => `\`${text}\` is not a UUID.`,
  invalid_webhooks: (maxCount: number) => `There are ${maxCount} webhooks already, which is the most there may be.`,
  missing_task_filters: (parameters: string) =>
    `Say which tasks by at least one of ${parameters}; \`*\` stands for all.`,
  no_space_left_on_device: {
    queue: (usedBytes: number) =>
      `The task queue is full: it holds ${usedBytes} bytes. Delete finished tasks or cancel waiting ones to make room.`,
    disk: () => 'No space left on device: the disk of the database is full.',
  },
  snapshot_not_found: (uid: string) => `There is no snapshot \`${uid}\`.`,
  task_file_not_found: (uid: number) => `The task \`${uid}\` has no documents waiting.`,
  task_not_found: (uid: number) => `Task \`${uid}\` not found.`,
  webhook_not_found: (text: string) => `There is no webhook \`${text}\`.`,
} satisfies MessageRows;
