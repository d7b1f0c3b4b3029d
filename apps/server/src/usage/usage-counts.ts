/** The most bytes of a bundle of usage data: a bundle is closed before it would grow beyond. */
export const BUNDLE_BYTES_MAX = 500_000;

/** Upper bounds of the histogram of request times, in milliseconds. */
const TIME_BOUNDS_MS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 5000] as const;

/** Requests of one route with one class of status. */
interface RouteCount {
  requests: number;
  totalMs: number;
  /** One count per bound of TIME_BOUNDS_MS, and one for all longer ones. */
  readonly times: number[];
}

/** The counts since `since`. All names in it come from the program, not from users. */
export interface UsageCountsJson {
  readonly since: string;
  readonly until: string;
  readonly routes: Readonly<Record<string, object>>;
  readonly features: Readonly<Record<string, number>>;
}

/**
 * Counts the use of a server. It takes patterns of routes, classes of statuses and names of members of this API, never
 * a value: data and identities of clients cannot get in.
 */
export class UsageCounts {
  private since = new Date();
  private readonly routes = new Map<string, RouteCount>();
  private readonly features = new Map<string, number>();
  private byteCount = 0;
  private readonly onFull: () => void;
  private readonly bytesMax: number;

  /** `onFull` is called before something is counted that does not fit into a bundle of `bytesMax`. */
  constructor(onFull: () => void = () => undefined, bytesMax = BUNDLE_BYTES_MAX) {
    this.onFull = onFull;
    this.bytesMax = bytesMax;
  }

  /** `pattern`: of the route, with placeholders. */
  request(method: string, pattern: string, status: number, milliseconds: number): void {
    const name = `${method} ${pattern} ${Math.floor(status / 100)}xx`;
    let count = this.routes.get(name);
    if (count === undefined) {
      this.reserveSlot(ROUTE_BYTES + name.length);
      count = { requests: 0, totalMs: 0, times: new Array<number>(TIME_BOUNDS_MS.length + 1).fill(0) };
      this.routes.set(name, count);
    }
    count.requests += 1;
    count.totalMs += milliseconds;
    const bound = TIME_BOUNDS_MS.findIndex((most) => milliseconds <= most);
    count.times[bound < 0 ? TIME_BOUNDS_MS.length : bound]! += 1;
  }

  /** Members that a checked request has: the check lets only names of this API through. */
  members(of: string, checked: object): void {
    for (const name of Object.keys(checked)) this.feature(`${of}.${name}`);
  }

  feature(name: string): void {
    const count = this.features.get(name);
    if (count === undefined) this.reserveSlot(FEATURE_BYTES + name.length);
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

  /** Resets all counts. */
  clear(): void {
    this.since = new Date();
    this.routes.clear();
    this.features.clear();
    this.byteCount = 0;
  }

  private reserveSlot(bytes: number): void {
    if (this.byteCount + bytes > this.bytesMax - SYSTEM_BYTES) {
      this.onFull();
      this.byteCount = 0;
    }
    this.byteCount += bytes;
  }
}

/** The most bytes of JSON of each kind of row, with numbers of sixteen digits, and of the description of the system. */
const ROUTE_BYTES = 400;
const FEATURE_BYTES = 24;
const SYSTEM_BYTES = 4_000;

function timesOf(times: readonly number[]): object {
  const names = [...TIME_BOUNDS_MS.map(String), 'more'];
  return Object.fromEntries(times.flatMap((count, at) => (count === 0 ? [] : [[names[at]!, count]])));
}
