import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { Duplex } from 'node:stream';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { ClosedNetworkError, type NetworkPolicy } from '@fossick/configuration';
import type { Task } from '@fossick/scheduler';
import { taskToJson } from '@fossick/wire';
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
  /** Called with one sentence for every failed delivery. */
  readonly onFailure: (message: string) => void;
}

/** Posts the tasks of finished batches to every webhook, once, without delaying the scheduler. */
export class WebhookSender {
  private readonly options: WebhookSenderOptions;
  private readonly running = new Set<Promise<void>>();
  private readonly abort = new AbortController();

  constructor(options: WebhookSenderOptions) {
    this.options = options;
  }

  /** Begins the deliveries of one batch and returns at once. */
  send(tasks: readonly Task[]): void {
    const webhooks = this.options.webhooks();
    if (webhooks.length === 0 || tasks.length === 0) return;
    const delivery = this.deliver(webhooks, tasks).finally(() => this.running.delete(delivery));
    this.running.add(delivery);
  }
  /** Waits a short while for running deliveries, then aborts them. */
  async stop(): Promise<void> {
    const timer = setTimeout(() => this.abort.abort(), STOP_MS);
    await Promise.all(this.running);
    clearTimeout(timer);
  }

  private async deliver(webhooks: readonly Webhook[], tasks: readonly Task[]): Promise<void> {
    const body = await compress(tasks.map((task) => `${JSON.stringify(taskToJson(task))}\n`).join(''));
    await Promise.all(
      webhooks.map(async (webhook) => {
        try {
          await this.post(webhook, body);
        } catch (error) {
          const reason = error instanceof Error ? error.message : String(error);
          this.options.onFailure(`the webhook ${webhook.uuid} could not be told of finished tasks: ${reason}`);
        }
      }),
    );
  }

  private post({ url, headers }: Webhook, body: Buffer): Promise<void> {
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
