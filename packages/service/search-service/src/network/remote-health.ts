/** How long a remote counts as unavailable after its first failure, and after many. */
const FIRST_PAUSE_MS = 30_000;
const LONGEST_PAUSE_MS = 5 * 60_000;

interface Failure {
  readonly pauseMs: number;
  readonly untilMs: number;
}

/**
 * Which remotes failed recently. A failure makes a remote unavailable for 30 s; another failure after that for twice as
 * long as before, up to 5 minutes; one success ends it. The state is only shown, and unavailable remotes are still
 * called: without shards each remote has documents that no other has, and a search without it would lack them
 * needlessly. Lost at a restart.
 */
export class RemoteHealth {
  private readonly nowMs: () => number;
  private readonly failures = new Map<string, Failure>();

  /** `nowMs` is a monotonic clock. */
  constructor(nowMs: () => number = () => performance.now()) {
    this.nowMs = nowMs;
  }

  succeeded(url: string): void {
    this.failures.delete(url);
  }
  /** Failures during an unavailable period count once: concurrent requests fail together. */
  failed(url: string): void {
    const last = this.failures.get(url);
    const nowMs = this.nowMs();
    if (last !== undefined && nowMs < last.untilMs) return;
    const pauseMs = last === undefined ? FIRST_PAUSE_MS : Math.min(last.pauseMs * 2, LONGEST_PAUSE_MS);
    this.failures.set(url, { pauseMs, untilMs: nowMs + pauseMs });
  }
  isAvailable(url: string): boolean {
    const last = this.failures.get(url);
    return last === undefined || this.nowMs() >= last.untilMs;
  }
  /** Forgets remotes that are no longer configured. */
  retain(urls: Iterable<string>): void {
    const configured = new Set(urls);
    for (const url of this.failures.keys()) if (!configured.has(url)) this.failures.delete(url);
  }
}
