export { createExecutor } from './executor.js';
export type { WriterLink } from './writer-link.js';
export type { WriterReport, WriterStart } from './writer-messages.js';
export { startWriterThread, type WriterThreadOptions } from './writer-thread.js';
