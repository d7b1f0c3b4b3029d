import type { Webhook } from '../webhook.js';

/** Deliveries in flight to all webhooks: each takes a file descriptor, of which a process often has no more than 1,024. */
const AT_ONCE = 64;
/** In flight to one webhook. After a failed delivery it gets one at a time, until one succeeds. */
const AT_ONCE_EACH = 4;
/** Deliveries that wait for one webhook: a receiver that needs a second for each is half an hour late then. */
const QUEUED_MAX = 1_000;
/** And their bytes. Webhooks that wait for the same deliveries share them. */
const QUEUED_BYTES_MAX = 16 * 2 ** 20;
/** Dropped deliveries of one webhook are reported at most this often, in milliseconds. */
const REPORT_MS = 60_000;

export interface DeliveryQueueOptions {
  /** Sends one body. */
  readonly post: (webhook: Webhook, body: Buffer) => Promise<void>;
  readonly onFailure: (webhook: Webhook, error: unknown) => void;
  /** Called when deliveries had no room, at most once a minute for each webhook, with their number since the last call. */
  readonly onDropped: (webhook: Webhook, count: number) => void;
}

/** The deliveries to one webhook, the oldest first. */
interface Line {
  webhook: Webhook;
  readonly bodies: Buffer[];
  queuedBytes: number;
  runningCount: number;
  hasFailed: boolean;
  droppedCount: number;
  reportedMs: number;
}

/**
 * Bounds what slow receivers can occupy: a limited number of deliveries is in flight, in turns of the webhooks, and a
 * limited number waits. When there is no more room for a webhook, its oldest delivery is dropped.
 */
export class DeliveryQueue {
  private readonly options: DeliveryQueueOptions;
  /** By uuid, the one whose turn is next first. */
  private readonly lines = new Map<string, Line>();
  private runningCount = 0;
  private readonly idleListeners: (() => void)[] = [];

  constructor(options: DeliveryQueueOptions) {
    this.options = options;
  }

  /** Queues one body for each of the webhooks, which are all there are: what waits for others is forgotten. */
  push(webhooks: readonly Webhook[], body: Buffer): void {
    const uuids = new Set(webhooks.map(({ uuid }) => uuid));
    for (const uuid of this.lines.keys()) if (!uuids.has(uuid)) this.lines.delete(uuid);
    for (const webhook of webhooks) {
      const line = this.lines.get(webhook.uuid) ?? newLine(webhook);
      this.lines.set(webhook.uuid, line);
      line.webhook = webhook;
      line.bodies.push(body);
      line.queuedBytes += body.length;
    }
    this.startNext();
    for (const line of this.lines.values()) {
      while (line.bodies.length > QUEUED_MAX || (line.queuedBytes > QUEUED_BYTES_MAX && line.bodies.length > 1)) {
        line.queuedBytes -= line.bodies.shift()!.length;
        line.droppedCount += 1;
      }
      this.reportDropped(line);
    }
  }

  /** Resolves when nothing is in flight and nothing waits. */
  idle(): Promise<void> {
    if (this.isIdle) return Promise.resolve();
    return new Promise((resolve) => this.idleListeners.push(resolve));
  }

  /** Drops everything that waits. */
  clear(): void {
    for (const line of this.lines.values()) {
      line.droppedCount += line.bodies.length;
      line.bodies.length = 0;
      line.queuedBytes = 0;
      line.reportedMs = 0;
      this.reportDropped(line);
    }
  }

  private get isIdle(): boolean {
    return this.runningCount === 0 && [...this.lines.values()].every(({ bodies }) => bodies.length === 0);
  }

  private startNext(): void {
    while (this.runningCount < AT_ONCE) {
      const line = this.nextLine();
      if (line === undefined) return;
      // its next turn is after those of the others
      this.lines.delete(line.webhook.uuid);
      this.lines.set(line.webhook.uuid, line);
      void this.deliver(line, line.bodies.shift()!);
    }
  }

  private nextLine(): Line | undefined {
    for (const line of this.lines.values())
      if (line.bodies.length > 0 && line.runningCount < (line.hasFailed ? 1 : AT_ONCE_EACH)) return line;
    return undefined;
  }

  private async deliver(line: Line, body: Buffer): Promise<void> {
    const { webhook } = line;
    line.queuedBytes -= body.length;
    line.runningCount += 1;
    this.runningCount += 1;
    try {
      await this.options.post(webhook, body);
      line.hasFailed = false;
    } catch (error) {
      line.hasFailed = true;
      this.options.onFailure(webhook, error);
    }
    line.runningCount -= 1;
    this.runningCount -= 1;
    this.startNext();
    if (this.isIdle) for (const resolve of this.idleListeners.splice(0)) resolve();
  }

  private reportDropped(line: Line): void {
    const nowMs = Date.now();
    if (line.droppedCount === 0 || nowMs - line.reportedMs < REPORT_MS) return;
    this.options.onDropped(line.webhook, line.droppedCount);
    line.droppedCount = 0;
    line.reportedMs = nowMs;
  }
}

function newLine(webhook: Webhook): Line {
  const counts = { queuedBytes: 0, runningCount: 0, droppedCount: 0, reportedMs: 0 };
  return { webhook, bodies: [], hasFailed: false, ...counts };
}
