/** How long a remote counts as unavailable after its first failure, and after many. */
const FIRST_PAUSE_MS = 30_000;
const LONGEST_PAUSE_MS = 5 * 60_000;

interface Failure {
  readonly pauseMs: number;
  readonly untilMs: number;
}

/**
 * Which remotes failed lately. A failure makes a remote unavailable for 30 s; when it fails again after that, for twice as long as the
 * time before, up to 5 minutes; one success ends it. The state is shown and keeps nobody from asking: without shards each remote has
 * documents that nobody else has, and a search that left it out would lack them without need. Lost at a restart.
 */
export class RemoteHealth {
  private readonly nowMs: () => number;
  private readonly failures = new Map<string, Failure>();

  /** `nowMs` is a clock that never goes back. */
  constructor(nowMs: () => number = () => performance.now()) {
    this.nowMs = nowMs;
  }

  succeeded(url: string): void {
    this.failures.delete(url);
  }
  /** Failures while it is unavailable count once: requests that wait for it together fail together. */
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
  /** Forgets remotes that are none any more. */
  keepOnly(urls: Iterable<string>): void {
    const kept = new Set(urls);
    for (const url of this.failures.keys()) if (!kept.has(url)) this.failures.delete(url);
  }
}
