import { randomUUID } from 'node:crypto';
import { arch, availableParallelism, platform, totalmem } from 'node:os';
import { PRODUCT_VERSION } from '@fossick/api';
import type { InstanceValues } from '@fossick/instance';
import { OutboundClient, withTimeLimit } from '@fossick/outbound';
import { UsageCounts, type UsageCountsJson } from './usage-counts.js';

/** Interval at which a bundle is closed, however small it is. */
const PERIOD_MS = 3_600_000;
const SEND_TIMEOUT_MS = 10_000;
const ID_VALUE = 'usage-data-id';

/** Facts about the whole instance at the time a bundle is closed. */
export interface InstanceFacts {
  readonly indexCount: number;
  readonly documentCount: number;
  readonly databaseBytes: number;
  readonly experimentalFeatures: readonly string[];
  readonly isProduction: boolean;
  readonly hasMasterKey: boolean;
}

/**
 * A bundle as it is sent: figures of the system, of performance, and of the features used. No content, no names given
 * by users, no addresses.
 */
export interface UsageBundle extends UsageCountsJson {
  /** A random id for this purpose only; it does not identify the owner. */
  readonly instance: string;
  readonly system: Readonly<Record<string, unknown>>;
}

export interface UsageReportsOptions {
  /** False: nothing is counted. */
  readonly isOn: boolean;
  /** Where bundles are sent; null: nowhere, they are only shown. */
  readonly url: string | null;
  readonly values: InstanceValues;
  readonly facts: () => InstanceFacts;
  readonly onFault: (error: unknown) => void;
  /** Limits of a bundle's size, and of the milliseconds between two. */
  readonly bytesMax?: number;
  readonly periodMs?: number;
}

/**
 * Counts the use of the server and sends it in bundles, if the operator has given an address and has not switched it
 * off.
 */
export class UsageReports {
  private readonly options: UsageReportsOptions;
  /** Null when nothing is counted. */
  readonly counts: UsageCounts | null;
  private readonly timer: NodeJS.Timeout | undefined;
  private readonly sending = new Set<Promise<void>>();
  private readonly abort = new AbortController();
  /** The operator named the address: any may be called. */
  private readonly client = new OutboundClient({ policy: null });
  /** The id of an instance that has none yet. */
  private newId: string | undefined;

  constructor(options: UsageReportsOptions) {
    this.options = options;
    const { isOn, bytesMax, periodMs = PERIOD_MS } = options;
    this.counts = isOn ? new UsageCounts(() => this.close(), bytesMax) : null;
    this.timer = isOn ? setInterval(() => this.close(), periodMs).unref() : undefined;
  }

  /** The bundle that would be sent now; null when nothing is counted. */
  bundle(): UsageBundle | null {
    if (this.counts === null) return null;
    return { instance: this.instanceId(), system: this.system(), ...this.counts.toJson() };
  }

  /** The answer of the route. */
  toJson(): object {
    const { isOn, url } = this.options;
    return { enabled: isOn, sentTo: isOn ? url : null, bundle: this.bundle() };
  }

  /**
   * Closes the bundle, sends it if there is an address, and begins the next one. A bundle that cannot be delivered is
   * dropped.
   */
  close(): void {
    const { url, onFault } = this.options;
    const bundle = url === null ? null : this.bundle();
    this.counts?.clear();
    if (bundle === null) return;
    const sending = this.send(url!, bundle)
      .catch((error: unknown) => onFault(new Error(`usage data could not be sent: ${(error as Error).message}`)))
      .finally(() => this.sending.delete(sending));
    this.sending.add(sending);
  }

  /** Stops and aborts deliveries. */
  async stop(): Promise<void> {
    clearInterval(this.timer);
    this.abort.abort();
    await Promise.all(this.sending);
    await this.client.close();
  }

  private async send(url: string, bundle: UsageBundle): Promise<void> {
    await withTimeLimit(SEND_TIMEOUT_MS, [this.abort.signal], async (signal) => {
      const answer = await this.client.request({
        method: 'POST',
        url: new URL(url),
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(bundle),
        signal,
      });
      await answer.discard();
      if (answer.status < 200 || answer.status >= 300) throw new Error(`it answered ${answer.status}`);
    });
  }

  private instanceId(): string {
    const { values, onFault } = this.options;
    const known = values.get(ID_VALUE);
    if (typeof known === 'string') return known;
    this.newId ??= randomUUID();
    const made = this.newId;
    values.change(ID_VALUE, (stored) => (typeof stored === 'string' ? stored : made)).catch(onFault);
    return made;
  }

  private system(): Readonly<Record<string, unknown>> {
    return {
      version: PRODUCT_VERSION,
      node: process.versions.node,
      platform: platform(),
      arch: arch(),
      cores: availableParallelism(),
      memoryBytes: totalmem(),
      residentBytes: process.memoryUsage.rss(),
      uptimeSeconds: Math.round(process.uptime()),
      ...this.options.facts(),
    };
  }
}
