/**
 * The name of the record with which a log begins whose first checkpoints have the data of a database: nodes apply what
 * comes after them. It has no body.
 */
export const BASE = 'base';

/** What comes next in the log is about data that only a checkpoint has. */
export class CheckpointNeededError extends Error {
  constructor(position: number) {
    super(`the log begins with checkpoints of a database, after entry ${position}`);
  }
}
