import { randomUUID } from 'node:crypto';
import { arch, availableParallelism, platform, totalmem } from 'node:os';
import { PRODUCT_VERSION } from '@fossick/configuration';
import type { InstanceValues } from '@fossick/instance';
import { UsageCounts, type UsageCountsJson } from './usage-counts.js';

/** How often a bundle is closed, however small it is. */
const PERIOD_MS = 3_600_000;
const SEND_TIMEOUT_MS = 10_000;
const ID_VALUE = 'usage-data-id';

/** What is known of the instance as a whole when a bundle is closed. */
export interface InstanceFacts {
  readonly indexCount: number;
  readonly documentCount: number;
  readonly databaseBytes: number;
  readonly experimentalFeatures: readonly string[];
  readonly isProduction: boolean;
  readonly hasMasterKey: boolean;
}

/** A bundle as it is sent: figures of the system, of performance, of what was used. No content, no names that users gave, no addresses. */
export interface UsageBundle extends UsageCountsJson {
  /** Made up for this purpose; says nothing of whose it is. */
  readonly instance: string;
  readonly system: Readonly<Record<string, unknown>>;
}

export interface UsageReportsOptions {
  /** False: nothing is counted. */
  readonly isOn: boolean;
  /** Where bundles go; null: nowhere, they are only shown. */
  readonly url: string | null;
  readonly values: InstanceValues;
  readonly facts: () => InstanceFacts;
  readonly onFault: (error: unknown) => void;
  /** Of a bundle, and milliseconds between two. */
  readonly bytesMax?: number;
  readonly periodMs?: number;
}

/** Counts what the server is used for and sends it on in bundles, if its operator has named an address and has not switched it off. */
export class UsageReports {
  private readonly options: UsageReportsOptions;
  /** Null when nothing is counted. */
  readonly counts: UsageCounts | null;
  private readonly timer: NodeJS.Timeout | undefined;
  private readonly sending = new Set<Promise<void>>();
  private readonly abort = new AbortController();

  constructor(options: UsageReportsOptions) {
    this.options = options;
    const { isOn, bytesMax, periodMs = PERIOD_MS } = options;
    this.counts = isOn ? new UsageCounts(() => this.close(), bytesMax) : null;
    this.timer = isOn ? setInterval(() => this.close(), periodMs).unref() : undefined;
  }

  /** What would be sent now; null when nothing is counted. */
  bundle(): UsageBundle | null {
    if (this.counts === null) return null;
    return { instance: this.instanceId(), system: this.system(), ...this.counts.toJson() };
  }

  /** What the route shows. */
  toJson(): object {
    const { isOn, url } = this.options;
    return { enabled: isOn, sentTo: isOn ? url : null, bundle: this.bundle() };
  }

  /** Closes the bundle, sends it where there is an address, and begins the next. One that cannot be delivered is dropped. */
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

  /** Ends it; what is on its way is broken off. */
  async stop(): Promise<void> {
    clearInterval(this.timer);
    this.abort.abort();
    await Promise.all(this.sending);
  }

  private async send(url: string, bundle: UsageBundle): Promise<void> {
    const signal = AbortSignal.any([this.abort.signal, AbortSignal.timeout(SEND_TIMEOUT_MS)]);
    const headers = { 'content-type': 'application/json' };
    // a megabyte of code that most servers never need: nobody is told anything unless an operator says whom
    const { fetch } = await import('undici');
    const answer = await fetch(url, {
      method: 'POST',
      headers,
      body: JSON.stringify(bundle),
      signal,
      redirect: 'error',
    });
    await answer.body?.cancel();
    if (!answer.ok) throw new Error(`it answered ${answer.status}`);
  }

  private instanceId(): string {
    const { values } = this.options;
    const known = values.get(ID_VALUE);
    if (typeof known === 'string') return known;
    const made = randomUUID();
    values.put(ID_VALUE, made);
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
