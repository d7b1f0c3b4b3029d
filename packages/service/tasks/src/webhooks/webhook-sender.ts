import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { Duplex } from 'node:stream';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { ClosedNetworkError, type NetworkPolicy } from '@fossick/instance';
import type { Task } from '../task/task.js';
import { taskToJson } from '../task/task-json.js';
import { DeliveryQueue } from './delivery-queue.js';
import type { Webhook } from './webhook-store.js';

const compress = promisify(gzip);
const TIMEOUT_MS = 30_000;
/** Only the status matters; the rest of a longer answer is not read. */
const ANSWER_BYTES_MAX = 1 << 16;
/** How long a stopping server waits for running deliveries, in milliseconds. */
const STOP_MS = 2_000;

export interface WebhookSenderOptions {
  readonly policy: NetworkPolicy;
  readonly webhooks: () => readonly Webhook[];
  /** Called with one sentence for every failed delivery, and for those that were dropped. */
  readonly onFailure: (message: string) => void;
  /** Called with the number of deliveries that were dropped since the last call. */
  readonly onDropped?: (count: number) => void;
}

/**
 * Posts the tasks of finished batches to every webhook, once, without delaying the scheduler. Receivers that are slower
 * than tasks finish lose the oldest deliveries (DeliveryQueue).
 */
export class WebhookSender {
  private readonly options: WebhookSenderOptions;
  private readonly queue: DeliveryQueue;
  /** Resolves when everything given to `send` is in the queue. */
  private queued: Promise<void> = Promise.resolve();
  private readonly abort = new AbortController();

  constructor(options: WebhookSenderOptions) {
    this.options = options;
    this.queue = new DeliveryQueue({
      post: (webhook, body) => this.post(webhook, body),
      onFailure: ({ uuid }, error) => {
        const reason = error instanceof Error ? error.message : String(error);
        options.onFailure(`the webhook ${uuid} could not be told of finished tasks: ${reason}`);
      },
      onDropped: ({ uuid }, count) => {
        options.onDropped?.(count);
        options.onFailure(`the webhook ${uuid} is too slow: its ${count} oldest waiting deliveries were dropped`);
      },
    });
  }

  /** Queues the deliveries of one batch and returns at once. */
  send(tasks: readonly Task[]): void {
    const webhooks = this.options.webhooks();
    if (webhooks.length === 0 || tasks.length === 0) return;
    const compressed = compress(tasks.map((task) => `${JSON.stringify(taskToJson(task))}\n`).join(''));
    this.queued = this.queued.then(async () => this.queue.push(webhooks, await compressed));
  }
  /** Waits a short while for deliveries in flight and in the queue, then gives them up. */
  async stop(): Promise<void> {
    const timer = setTimeout(() => {
      this.abort.abort();
      this.queue.clear();
    }, STOP_MS);
    await this.queued;
    await this.queue.idle();
    clearTimeout(timer);
  }

  private async post({ url, headers }: Webhook, body: Buffer): Promise<void> {
    const { policy } = this.options;
    const target = new URL(url);
    if (!policy.allowsHost(target.hostname)) throw new ClosedNetworkError(target.hostname);
    const send = target.protocol === 'https:' ? requestHttps : requestHttp;
    const signal = AbortSignal.any([this.abort.signal, AbortSignal.timeout(TIMEOUT_MS)]);
    return new Promise((resolve, reject) => {
      const call = send(target, {
        method: 'POST',
        lookup: policy.lookup,
        signal,
        headers: {
          'content-type': 'application/x-ndjson',
          'content-encoding': 'gzip',
          'content-length': body.length,
          ...headers,
        },
      });
      call.on('error', reject);
      // the receiver switches to another protocol, so neither a response nor an error follows
      call.once('upgrade', ({ statusCode }: IncomingMessage, socket: Duplex) => {
        socket.destroy();
        reject(new Error(`it answered ${statusCode}`));
      });
      call.once('response', (response) => {
        const status = response.statusCode ?? 0;
        const settle = (): void => (status < 300 ? resolve() : reject(new Error(`it answered ${status}`)));
        let seenBytes = 0;
        response.on('data', (chunk: Buffer) => {
          seenBytes += chunk.length;
          if (seenBytes <= ANSWER_BYTES_MAX) return;
          settle();
          response.destroy();
        });
        response.on('error', reject);
        response.once('end', settle);
      });
      call.end(body);
    });
  }
}
