export { adoptCompactedQueue, QueueCompaction } from './queue-compaction.js';
export type { WriterLink } from './writer/writer-link.js';
export type { WriterReport, WriterStart } from './writer/writer-messages.js';
export { startWriterThread, type WriterThreadOptions } from './writer/writer-thread.js';
