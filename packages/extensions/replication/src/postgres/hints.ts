import pg from 'pg';
import { isPassing } from './connections.js';

/** Between two attempts to listen, once the connection is lost. */
const RETRY_MS = 1_000;
const RETRY_MS_MAX = 30_000;

/**
 * Hints that a log has more: LISTEN on a connection of its own. Nothing depends on them. A database that knows no LISTEN
 * is asked once; a lost connection is opened again while somebody watches.
 */
export class Hints {
  private readonly config: pg.ClientConfig;
  private readonly channel: string;
  private readonly watchers = new Set<() => void>();
  private client: pg.Client | undefined;
  private retry: NodeJS.Timeout | undefined;
  private failureCount = 0;
  private isUnsupported = false;
  private isClosed = false;

  constructor(config: pg.ClientConfig, channel: string) {
    this.config = config;
    this.channel = channel;
  }

  watch(onMore: () => void): Disposable {
    // a function of its own: the same one may watch twice
    const watcher = (): void => onMore();
    this.watchers.add(watcher);
    if (this.client === undefined && this.retry === undefined) void this.listen();
    return {
      [Symbol.dispose]: () => {
        this.watchers.delete(watcher);
        if (this.watchers.size === 0) void this.disconnect();
      },
    };
  }

  async close(): Promise<void> {
    this.isClosed = true;
    this.watchers.clear();
    await this.disconnect();
  }

  private async listen(): Promise<void> {
    if (this.isUnsupported || this.isClosed) return;
    const client = new pg.Client(this.config);
    this.client = client;
    client.on('notification', () => this.tell());
    client.on('error', () => this.lose(client));
    client.on('end', () => this.lose(client));
    try {
      await client.connect();
      await client.query(`listen ${client.escapeIdentifier(this.channel)}`);
      this.failureCount = 0;
      // entries may have come before the database listened
      if (this.client === client) this.tell();
    } catch (error) {
      this.isUnsupported = !isPassing(error);
      this.lose(client);
    }
  }

  private tell(): void {
    for (const watcher of this.watchers) watcher();
  }

  private lose(client: pg.Client): void {
    if (this.client !== client) return;
    this.client = undefined;
    void end(client);
    if (this.watchers.size === 0 || this.isUnsupported || this.isClosed) return;
    const delayMs = Math.min(RETRY_MS * 2 ** Math.min(this.failureCount++, 20), RETRY_MS_MAX);
    this.retry = setTimeout(() => {
      this.retry = undefined;
      void this.listen();
    }, delayMs);
    this.retry.unref();
  }

  private async disconnect(): Promise<void> {
    clearTimeout(this.retry);
    this.retry = undefined;
    const { client } = this;
    this.client = undefined;
    if (client !== undefined) await end(client);
  }
}

async function end(client: pg.Client): Promise<void> {
  try {
    await client.end();
  } catch {
    // it has ended
  }
}
