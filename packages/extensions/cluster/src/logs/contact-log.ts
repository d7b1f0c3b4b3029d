import type { AppendOutcome, Beat, CommitLog, MonotonicClock, StoredEntry } from '@fossick/replication';
import type { LogWatch } from './log-watch.js';

/** A log that knows when it answered last, and that passes on hints of other nodes. */
export class ContactLog implements CommitLog {
  private readonly log: CommitLog;
  private readonly clock: Pick<MonotonicClock, 'nowMs'>;
  private readonly watchers = new Set<() => void>();
  private contactMs: number;
  /** Since when every call fails; null when the last one succeeded. */
  private failingMs: number | null = null;
  /** Of entries that were read or appended. */
  bytes = 0;
  /** While set, this node shows no sign of life, so that another one leads. */
  isMute = false;
  /** Whether the log has what it had, as far as a leader knows. */
  private readonly leaderWatch: LogWatch | undefined;

  constructor(log: CommitLog, clock: Pick<MonotonicClock, 'nowMs'>, leaderWatch?: LogWatch) {
    this.log = log;
    this.leaderWatch = leaderWatch;
    this.clock = clock;
    this.contactMs = clock.nowMs();
  }

  /** Milliseconds since the log answered last. */
  get silentMs(): number {
    return this.clock.nowMs() - this.contactMs;
  }

  /** Milliseconds for which every call has failed; 0 when the last one succeeded. */
  get awayMs(): number {
    return this.failingMs === null ? 0 : this.clock.nowMs() - this.failingMs;
  }

  /** There may be more in the log. */
  hint(): void {
    for (const watcher of this.watchers) watcher();
  }

  /** Whether this node leads, and the log lacks what it had. */
  get isLost(): boolean {
    return this.leaderWatch !== undefined && this.leaderWatch.reason !== null;
  }

  async append(position: number, bytes: Uint8Array): Promise<AppendOutcome> {
    // an entry after a gap would be lost, although the log took it
    if (this.isLost) return 'unknown';
    const outcome = await this.noted(
      this.log.append(position, bytes),
      (found) => found !== 'unknown' && found !== 'refused',
    );
    if (outcome === 'appended') this.bytes += bytes.length;
    if (outcome === 'gap') this.leaderWatch?.foundNone(position - 1);
    return outcome;
  }

  async read(from: number, bytesMax: number): Promise<readonly StoredEntry[]> {
    const entries = await this.noted(this.log.read(from, bytesMax));
    for (const { bytes } of entries) this.bytes += bytes.length;
    if (entries.length === 0) this.leaderWatch?.foundNone(from);
    return entries;
  }

  watch(from: number, onMore: () => void): Disposable {
    const watcher = (): void => onMore();
    this.watchers.add(watcher);
    const inner = this.log.watch(from, onMore);
    return {
      [Symbol.dispose]: () => {
        this.watchers.delete(watcher);
        inner[Symbol.dispose]();
      },
    };
  }

  async beat(beat: Beat): Promise<void> {
    if (this.isMute) throw new Error('this node cannot lead now');
    // a beat waits for no look: a link that is stuck would hold up both
    void this.leaderWatch?.look();
    return this.noted(this.log.beat(beat));
  }

  lastBeat(): Promise<Beat | null> {
    return this.noted(this.log.lastBeat());
  }

  trim(before: number): Promise<void> {
    return this.noted(this.log.trim(before));
  }

  close(): Promise<void> {
    return this.log.close();
  }

  /** `isAnswer`: whether what it resolves to came from the log. */
  private async noted<T>(call: Promise<T>, isAnswer: (value: T) => boolean = () => true): Promise<T> {
    try {
      const value = await call;
      if (isAnswer(value)) this.answered();
      else this.failingMs ??= this.clock.nowMs();
      return value;
    } catch (error) {
      this.failingMs ??= this.clock.nowMs();
      throw error;
    }
  }

  private answered(): void {
    this.contactMs = this.clock.nowMs();
    this.failingMs = null;
  }
}
