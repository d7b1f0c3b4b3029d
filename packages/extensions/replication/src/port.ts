/** The bytes of one entry of a log. */
export interface StoredEntry {
  /** 1 for the first entry. */
  readonly position: number;
  readonly bytes: Uint8Array;
  /** The object that it is, where it is one: people look for it when it is damaged. */
  readonly key?: string;
}

/** What a leader shows now and then, so that others see that it lives. Nothing is safe because of it. */
export interface Beat {
  readonly node: string;
  readonly epoch: number;
  /** Differs from the leader's last one. */
  readonly count: number;
}

/**
 * `appended`: the entry is durable and the same for every reader. `taken`: there is an entry at that position.
 * `unknown`: it cannot be told. After `taken` and `unknown` the caller reads the position: the entry there may be its
 * own, because requests are repeated on their way. `gap`: the entry before it is gone, and nothing was appended; a store in
 * which this takes another request does not look. `refused`: its store took nothing, as one that is full does, and this
 * request will never append anything.
 */
export type AppendOutcome = 'appended' | 'taken' | 'unknown' | 'gap' | 'refused';

/**
 * An ordered log of entries at positions 1, 2, 3, …, which any number of nodes read and append to. Each position gets one
 * entry once: that is all that the nodes need to agree. Methods reject when the store of the log does not answer; then
 * nothing is known but what this says of `append`.
 */
export interface CommitLog {
  /**
   * Makes `bytes` the entry of `position` if that has none. The caller has read the entry before it. Rejects with TrimmedError when the position is below the floor: then its entry may or may not have been
   * in the log.
   */
  append(position: number, bytes: Uint8Array): Promise<AppendOutcome>;
  /**
   * Entries from `from` on, in order and without gaps: at least one if there is any, then as many as fit `bytesMax`
   * bytes. Empty means that the log ended before `from` at some time after the call. Rejects with TrimmedError when
   * `from` is below the floor, and with DamagedLogError when an entry is missing before others; a log that has to ask for
   * that looks with its first read of the end, and now and then.
   */
  read(from: number, bytesMax: number): Promise<readonly StoredEntry[]>;
  /** Calls `onMore` when there may be entries at or after `from`: a hint that need not come. Stops when disposed of. */
  watch(from: number, onMore: () => void): Disposable;
  beat(beat: Beat): Promise<void>;
  lastBeat(): Promise<Beat | null>;
  /**
   * Makes `before` the floor unless it is higher, and removes the entries below it. When it resolves, no entry below it
   * is ever read or appended again. `before` is at most the position after the last entry.
   */
  trim(before: number): Promise<void>;
  /** Ends connections. Nothing may be called afterwards. */
  close(): Promise<void>;
}

/** Time of one node, which no other node's time is compared with. It never goes back. */
export interface MonotonicClock {
  nowMs(): number;
  /** Calls `work` after `delayMs` milliseconds unless it is disposed of before. */
  after(delayMs: number, work: () => void): Disposable;
}
