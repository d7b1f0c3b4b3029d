import type { SegmentId } from '@fossick/base';
import type { UndoLog } from './undo-log.js';

/** The state that a failed operation is rolled back to. */
export interface Savepoint {
  readonly primaryKey: string | null;
  readonly fieldCount: number;
  readonly nextSegmentId: SegmentId;
  readonly log: UndoLog;
}
