export {
  deleteCheckpoint,
  encodeSummed,
  listCheckpoints,
  readCheckpoint,
  readSummed,
} from './checkpoints/checkpoint.js';
export { restoreCheckpoint } from './checkpoints/restore-checkpoint.js';
export { writeCheckpoint } from './checkpoints/write-checkpoint.js';
export { decodeEntry, encodeEntry, FIRST_FORMAT, firstHash, hashOfEntry, LAST_FORMAT } from './entries/entry-codec.js';
export type { DataRecord, NodeInfo } from './entries/records.js';
export {
  DamagedCheckpointError,
  DamagedLogError,
  FencedError,
  NewerFormatError,
  OutcomeUnknownError,
  ReplicaEndedError,
  TrimmedError,
  WithdrawnError,
} from './log-errors.js';
export { ObjectLog } from './logs/object-log.js';
export type { AppendOutcome, Beat, CommitLog, MonotonicClock, StoredEntry } from './port.js';
export { type AcceptedEntry, LogState, type SavedLogState } from './replica/log-state.js';
export { REPLICA_TIMING, Replica, type ReplicaTiming, type Role } from './replica/replica.js';
export type { Appended } from './replica/waiting-records.js';
