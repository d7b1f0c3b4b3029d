/** What changes indexes: for the thread that runs tasks. Nothing else loads it. */

export { BlockingVectors } from './embedding/blocking-vectors.js';
export type { WriterWaits } from './extraction/writer-waits.js';
export { openEngineWriter } from './open-writer.js';
export type { BatchOperation, OperationOutcome } from './operations/operation.js';
export type { CommitReplication } from './port.js';
export type { WriteContext } from './transaction/write-context.js';
