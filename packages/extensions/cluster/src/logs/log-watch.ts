import { MissingStoreError } from '@fossick/objects';
import { type CommitLog, TrimmedError } from '@fossick/replication';

export interface LogWatchOptions {
  readonly log: Pick<CommitLog, 'read'>;
  /** The last position that is applied here. */
  readonly position: () => number;
  readonly isLeading: () => boolean;
  /** Whether the store of objects is that of the cluster. Rejects when it does not answer. */
  readonly isOurs: () => Promise<boolean>;
  /** The log is lost since now, with the reason; or it is there again, or another node's concern, with null. */
  readonly onChange: (reason: string | null) => void;
}

/**
 * Whether the log of a leader still has what it had: a leader alone would notice nothing, because it reads nothing but the
 * end. Only an answer counts; a store that does not answer says nothing about what it has.
 */
export class LogWatch {
  private readonly options: LogWatchOptions;
  /** Why the log counts as lost; null while it does not. */
  reason: string | null = null;
  /** A position at which the log had an entry at the last look, or at which one was missed since; 0 before. */
  private seen = 0;
  /** Counts the times that a node leads: a look that began in an earlier one says nothing about this one. */
  private lead = 0;
  private isLooking = false;

  constructor(options: LogWatchOptions) {
    this.options = options;
  }

  /** Called again and again while this node leads. Never rejects. */
  async look(): Promise<void> {
    if (this.isLooking) return;
    this.isLooking = true;
    const { lead } = this;
    // an entry that is written while this one is looked for does not stand for those before it
    const position = this.options.position();
    try {
      const reason = await this.absence();
      if (lead !== this.lead) return;
      if (reason === null) this.seen = position;
      this.become(reason);
    } catch {
      // no answer
    } finally {
      this.isLooking = false;
    }
  }

  /**
   * A read found no entry at a position. Throws where the log of a leader had one: what a lost log lacks is not its end.
   * Others find out for good that their log is another one (Replica).
   */
  foundNone(position: number): void {
    if (!this.options.isLeading()) return;
    if (position <= this.options.position()) {
      this.seen = position;
      this.become(`entry ${position} of the log is gone`);
    }
    if (this.reason !== null) throw new Error(this.reason);
  }

  /** This node leads no longer. */
  end(): void {
    this.lead += 1;
    this.seen = 0;
    this.become(null);
  }

  private async absence(): Promise<string | null> {
    try {
      if (!(await this.options.isOurs())) return 'cluster.json in the store of objects is gone, or another one';
      if (this.seen > 0 && !(await this.hasSeen())) return `entry ${this.seen} of the log is gone`;
      return null;
    } catch (error) {
      if (error instanceof MissingStoreError) return error.message;
      throw error;
    }
  }

  private async hasSeen(): Promise<boolean> {
    try {
      return (await this.options.log.read(this.seen, 1)).length > 0;
    } catch (error) {
      if (error instanceof TrimmedError) return true;
      throw error;
    }
  }

  private become(reason: string | null): void {
    const isChange = reason !== this.reason;
    this.reason = reason;
    if (isChange) this.options.onChange(reason);
  }
}
