/** A position is below the floor of the log: entries up to there were removed. The node needs a checkpoint. */
export class TrimmedError extends Error {
  readonly floor: number;

  constructor(position: number, floor: number) {
    super(`position ${position} of the log was trimmed, it begins at ${floor}`);
    this.floor = floor;
  }
}

/**
 * An entry that does not follow the one before it, or cannot be read: the log was changed or rewound, or its store let
 * two nodes write one position. Nothing after it may be applied.
 */
export class DamagedLogError extends Error {
  readonly position: number;

  constructor(position: number, reason: string, options?: ErrorOptions) {
    super(`entry ${position} of the log is damaged: ${reason}`, options);
    this.position = position;
  }
}

/** A newer release wrote this entry, or those after it: a node that went on without them would differ from the others. */
export class NewerFormatError extends RangeError {
  readonly position: number;

  constructor(position: number, format: number, known: number) {
    super(
      `entry ${position} of the log has format ${format}, and this release knows ${known}: ` +
        'upgrade this node, it has everything before that entry',
    );
    this.position = position;
  }
}

/** Whether a replica ends with this error of its log: no later attempt has another result. */
export function isFinal(error: unknown): boolean {
  return error instanceof TrimmedError || error instanceof DamagedLogError || error instanceof NewerFormatError;
}

/** A record of an epoch that has ended was not appended. */
export class FencedError extends Error {
  constructor(epoch: number, current: number) {
    super(`a record of epoch ${epoch} came too late: the log is in epoch ${current}`);
  }
}

/** A record may or may not be in the log: anyone who sent it must not be told either. */
export class OutcomeUnknownError extends Error {
  constructor(cause?: unknown) {
    super('the record may or may not be in the log', causedBy(cause));
  }
}

/** The replica has ended, and the record was not appended. */
export class ReplicaEndedError extends Error {
  constructor(cause?: unknown) {
    super('the replica has ended', causedBy(cause));
  }
}

/** A record was taken back before it was appended. */
export class WithdrawnError extends Error {
  constructor() {
    super('the record was taken back before it was appended');
  }
}

/** An object of a checkpoint is missing or is not what was written: the checkpoint cannot be used. */
export class DamagedCheckpointError extends Error {
  /** The object. */
  readonly key: string;

  constructor(key: string, reason: string, options?: ErrorOptions) {
    super(`the object ${key} of a checkpoint ${reason}`, options);
    this.key = key;
  }
}

function causedBy(cause: unknown): ErrorOptions {
  return cause === undefined ? {} : { cause };
}
