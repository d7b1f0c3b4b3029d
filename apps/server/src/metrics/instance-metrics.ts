import type { MetricSeries } from './metric-series.js';
import { type MetricsContext, nextTurn, PREFIX } from './metrics-context.js';

/** Upper bounds of the buckets in seconds; one more takes what was slower. */
const BOUNDS_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10] as const;

/**
 * Prometheus metrics of an instance. Requests are counted as they end. The other series and their library, which is a
 * twelfth of the modules of the server, are loaded with the first request for them.
 */
export class InstanceMetrics {
  private readonly requests = new RequestCounter();
  private loaded: Promise<MetricSeries> | undefined;
  /** Settles when the text being made is done. */
  private running: Promise<unknown> = Promise.resolve();
  /** The text to be made next, once it was requested. */
  private next: Promise<string> | undefined;

  /** The type of the text, by Prometheus's format 0.0.4. */
  readonly contentType = 'text/plain; version=0.0.4; charset=utf-8';

  /** `path` is the pattern of the route, so that the number of series stays small. */
  request(method: string, path: string, status: number, seconds: number): void {
    this.requests.add(method, path, status, seconds);
  }

  /**
   * The text of all series, at the time of the call or later. Callers during the making of a text share the next one.
   * O(indexes + task types), in pieces.
   */
  text(context: MetricsContext): Promise<string> {
    this.next ??= this.running.then(() => {
      this.next = undefined;
      const made = this.make(context);
      this.running = made.then(nextTurn, nextTurn);
      return made;
    });
    return this.next;
  }

  private async make(context: MetricsContext): Promise<string> {
    const others = await (await this.series()).text(context);
    return `${this.requests.text(PREFIX)}\n\n${others}`;
  }

  private series(): Promise<MetricSeries> {
    this.loaded ??= import('./metric-series.js').then(({ MetricSeries }) => new MetricSeries());
    return this.loaded;
  }
}

/** The answers of one route. */
interface RouteCounter {
  readonly method: string;
  readonly path: string;
  readonly countByStatus: Map<number, number>;
  /** Requests within each bound, and not within the one before. */
  readonly buckets: number[];
  seconds: number;
}

/**
 * Counts requests and how long they took, by route. Each request passes here, in a young process too: so it adds to a few numbers, and what Prometheus
 * wants to read is made of them when it asks.
 */
export class RequestCounter {
  private readonly routes = new Map<string, Map<string, RouteCounter>>();

  /** `path` is the pattern of the route, so that the number of series stays small. */
  add(method: string, path: string, status: number, seconds: number): void {
    const route = this.route(method, path);
    route.countByStatus.set(status, (route.countByStatus.get(status) ?? 0) + 1);
    route.seconds += seconds;
    let at = 0;
    while (at < BOUNDS_SECONDS.length && seconds > BOUNDS_SECONDS[at]!) at += 1;
    route.buckets[at]! += 1;
  }

  /** The series in the text format of Prometheus, with `prefix` before their names. O(routes) */
  text(prefix: string): string {
    const [total, times] = [`${prefix}http_requests_total`, `${prefix}http_response_time_seconds`];
    const routes = [...this.routes.values()].flatMap((byMethod) => [...byMethod.values()]);
    return [
      `# HELP ${total} Requests answered`,
      `# TYPE ${total} counter`,
      ...routes.flatMap((route) =>
        [...route.countByStatus].map(([status, count]) => `${total}{${labels(route)},status="${status}"} ${count}`),
      ),
      '',
      `# HELP ${times} Seconds from a request to its answer`,
      `# TYPE ${times} histogram`,
      ...routes.flatMap((route) => histogram(times, route)),
    ].join('\n');
  }

  private route(method: string, path: string): RouteCounter {
    let byMethod = this.routes.get(path);
    if (byMethod === undefined) {
      byMethod = new Map();
      this.routes.set(path, byMethod);
    }
    let route = byMethod.get(method);
    if (route === undefined) {
      const buckets = new Array<number>(BOUNDS_SECONDS.length + 1).fill(0);
      route = { method, path, countByStatus: new Map(), buckets, seconds: 0 };
      byMethod.set(method, route);
    }
    return route;
  }
}

/** Methods and patterns of routes are the program's own: nothing in them needs an escape. */
function labels({ method, path }: RouteCounter): string {
  return `method="${method}",path="${path}"`;
}

function histogram(name: string, route: RouteCounter): string[] {
  const own = labels(route);
  let count = 0;
  const buckets = route.buckets.map((added, at) => {
    count += added;
    return `${name}_bucket{le="${BOUNDS_SECONDS[at] ?? '+Inf'}",${own}} ${count}`;
  });
  return [...buckets, `${name}_sum{${own}} ${route.seconds}`, `${name}_count{${own}} ${count}`];
}
