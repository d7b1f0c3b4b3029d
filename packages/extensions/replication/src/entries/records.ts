/** A node that can lead. `id` differs at each start of a process, so that no node takes an earlier one's place. */
export interface NodeInfo {
  readonly id: string;
  /** Where other nodes reach it; may be empty. */
  readonly address: string;
}

/**
 * What nodes do, as bytes that the log does not look into. Their packages define them: tasks and batches the scheduler,
 * values the instance, commits of a store, regardless of who applies them.
 */
export interface DataRecord {
  readonly kind: 'data';
  /** Same for all attempts at one operation: the second and later ones are in the log without effect. */
  readonly opId: string;
  /** What the body is, such as `tasks`: names its decoder. */
  readonly name: string;
  /** The epoch whose leader wrote it, without effect in any other; null for records that any node writes. */
  readonly epoch: number | null;
  readonly body: Uint8Array;
}

/** The node leads from here on. Has an effect only as the epoch after the current one. */
export interface LeadRecord {
  readonly kind: 'lead';
  readonly epoch: number;
  readonly node: NodeInfo;
}

/** The leader of an epoch leads no longer. */
export interface ResignRecord {
  readonly kind: 'resign';
  readonly epoch: number;
}

/** Entries after this one have a later format, which all nodes can read. Has an effect only in its epoch. */
export interface FormatRecord {
  readonly kind: 'format';
  readonly epoch: number;
  readonly format: number;
}

export type LogRecord = DataRecord | LeadRecord | ResignRecord | FormatRecord;

/** The records of one group commit. */
export interface Entry {
  /** That of the log after the entry before. */
  readonly format: number;
  readonly position: number;
  /** Differs for any two entries that nodes tried to append: tells a node whether an entry is its own. */
  readonly id: string;
  /** SHA-256 of the bytes of the entry before it; of the name of the log for the first. */
  readonly previous: Uint8Array;
  readonly records: readonly LogRecord[];
}
