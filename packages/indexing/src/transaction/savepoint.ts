import type { SegmentId } from '@fossick/base';
import type { UndoLog } from './undo-log.js';

/** Thrown when the batch is to be abandoned. */
export class BatchCanceled extends Error {}

/** What an operation that fails goes back to. */
export interface Savepoint {
  readonly primaryKey: string | null;
  readonly fieldCount: number;
  readonly nextSegmentId: SegmentId;
  readonly log: UndoLog;
}
