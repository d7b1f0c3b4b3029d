/** Bytes of a bundle of usage data at most: the one before is closed when it would grow beyond. */
export const BUNDLE_BYTES_MAX = 500_000;

/** How long requests took, counted by upper bounds in milliseconds. */
const TIME_BOUNDS_MS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 5000] as const;

/** Requests of one route with one kind of status. */
interface RouteCount {
  requests: number;
  totalMs: number;
  /** As many as TIME_BOUNDS_MS, and one for all that took longer. */
  readonly times: number[];
}

/** What was counted since `since`. Names in it are the program's own. */
export interface UsageCountsJson {
  readonly since: string;
  readonly until: string;
  readonly routes: Readonly<Record<string, object>>;
  readonly features: Readonly<Record<string, number>>;
}

/**
 * Counts what a server is used for. It takes patterns of routes, kinds of statuses and names of members of this API, never a value: what
 * clients send and who they are cannot get in.
 */
export class UsageCounts {
  private since = new Date();
  private readonly routes = new Map<string, RouteCount>();
  private readonly features = new Map<string, number>();
  private byteCount = 0;
  private readonly onFull: () => void;
  private readonly bytesMax: number;

  /** `onFull` is called before something is counted that a bundle of `bytesMax` has no room for. */
  constructor(onFull: () => void = () => undefined, bytesMax = BUNDLE_BYTES_MAX) {
    this.onFull = onFull;
    this.bytesMax = bytesMax;
  }

  /** `pattern`: of the route, with placeholders. */
  request(method: string, pattern: string, status: number, milliseconds: number): void {
    const name = `${method} ${pattern} ${Math.floor(status / 100)}xx`;
    let count = this.routes.get(name);
    if (count === undefined) {
      this.takeRoom(ROUTE_BYTES + name.length);
      count = { requests: 0, totalMs: 0, times: new Array<number>(TIME_BOUNDS_MS.length + 1).fill(0) };
      this.routes.set(name, count);
    }
    count.requests += 1;
    count.totalMs += milliseconds;
    const bound = TIME_BOUNDS_MS.findIndex((most) => milliseconds <= most);
    count.times[bound < 0 ? TIME_BOUNDS_MS.length : bound]! += 1;
  }

  /** Members of a checked request that were there: their names are those of this API, nothing else gets through a check. */
  members(of: string, checked: object): void {
    for (const name of Object.keys(checked)) this.feature(`${of}.${name}`);
  }

  feature(name: string): void {
    const count = this.features.get(name);
    if (count === undefined) this.takeRoom(FEATURE_BYTES + name.length);
    this.features.set(name, (count ?? 0) + 1);
  }

  toJson(): UsageCountsJson {
    const routes = [...this.routes].map(([name, { requests, totalMs, times }]) => [
      name,
      { requests, meanMs: Math.round((totalMs / requests) * 100) / 100, upToMs: timesOf(times) },
    ]);
    return {
      since: this.since.toISOString(),
      until: new Date().toISOString(),
      routes: Object.fromEntries(routes),
      features: Object.fromEntries([...this.features].sort(([a], [b]) => (a < b ? -1 : 1))),
    };
  }

  /** Begins anew. */
  clear(): void {
    this.since = new Date();
    this.routes.clear();
    this.features.clear();
    this.byteCount = 0;
  }

  private takeRoom(bytes: number): void {
    if (this.byteCount + bytes > this.bytesMax - SYSTEM_BYTES) {
      this.onFull();
      this.byteCount = 0;
    }
    this.byteCount += bytes;
  }
}

/** What a row of each kind takes as JSON at most, with numbers of sixteen digits, and what is said of the system. */
const ROUTE_BYTES = 400;
const FEATURE_BYTES = 24;
const SYSTEM_BYTES = 4_000;

function timesOf(times: readonly number[]): object {
  const names = [...TIME_BOUNDS_MS.map(String), 'more'];
  return Object.fromEntries(times.flatMap((count, at) => (count === 0 ? [] : [[names[at]!, count]])));
}
