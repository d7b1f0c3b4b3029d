export {
  type Checkpoint,
  type CheckpointName,
  type CheckpointPart,
  deleteCheckpoint,
  lastCheckpoint,
  listCheckpoints,
  readCheckpoint,
} from './checkpoints/checkpoint.js';
export { type RestoreCheckpointOptions, restoreCheckpoint } from './checkpoints/restore-checkpoint.js';
export { type WriteCheckpointOptions, writeCheckpoint } from './checkpoints/write-checkpoint.js';
export { decodeEntry, encodeEntry, FIRST_FORMAT, firstHash, hashOfEntry, LAST_FORMAT } from './entries/entry-codec.js';
export type { DataRecord, Entry, LeadRecord, LogRecord, NodeInfo, ResignRecord } from './entries/records.js';
export {
  DamagedCheckpointError,
  DamagedLogError,
  FencedError,
  MissingStoreError,
  NewerFormatError,
  OutcomeUnknownError,
  ReplicaEndedError,
  TrimmedError,
  UnsafeStoreError,
  WithdrawnError,
} from './log-errors.js';
export { MemoryLog } from './logs/memory-log.js';
export { ObjectLog, type ObjectLogOptions } from './logs/object-log.js';
export { openObjectLog } from './logs/open-object-log.js';
export { FolderObjects } from './objects/folder-objects.js';
export { MemoryObjects } from './objects/memory-objects.js';
export { bytesOf, checkKey } from './objects/object-bytes.js';
export { type ProbeOptions, probeObjects } from './objects/probe.js';
export type {
  AppendOutcome,
  Beat,
  CommitLog,
  MonotonicClock,
  ObjectInfo,
  ObjectRange,
  ObjectStore,
  StoredEntry,
} from './port.js';
export type { ElectionTiming } from './replica/election.js';
export {
  type AcceptedEntry,
  type AcceptedRecord,
  LogState,
  type LogStateOptions,
  type RecordEffect,
  type SavedLogState,
} from './replica/log-state.js';
export { REPLICA_TIMING, Replica, type ReplicaOptions, type ReplicaTiming, type Role } from './replica/replica.js';
export { type Appended, RECORD_BYTES_MAX } from './replica/waiting-records.js';
