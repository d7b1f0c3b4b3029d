import type { MetricSeries } from './metric-series.js';
import { type MetricsContext, nextTurn, PREFIX } from './metrics-context.js';
import { RequestCounter } from './request-counter.js';

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
