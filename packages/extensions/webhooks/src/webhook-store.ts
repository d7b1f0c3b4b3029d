import { maskSecret } from '@fossick/api';
import { apiError } from '@fossick/base';
import type { WebhookAnswer } from './description.js';
import { COMMAND_LINE_WEBHOOK_UUID, VALUE_NAME, type Webhook } from './webhook.js';

/** The small durable values of the instance, where webhooks are kept. */
export interface StoredValues {
  get(name: string): unknown;
  /** Replaces a value by what `next` makes of it, and resolves with it; `next` may be called again, and may throw. */
  change<T>(name: string, next: (before: unknown) => T): Promise<T>;
}

/** The webhooks of the instance: durable ones created by the API, and the one of the command line. */
export class WebhookStore {
  private readonly values: StoredValues;
  private readonly fixed: Webhook | null;

  constructor(values: StoredValues, fixed: Webhook | null) {
    this.values = values;
    this.fixed = fixed;
  }
  /**
   * The one of the command line first, then the others by creation; read each time, because another thread may have
   * changed them.
   */
  all(): Webhook[] {
    return this.fixed === null ? this.editable() : [this.fixed, ...this.editable()];
  }
  editable(): Webhook[] {
    return (this.values.get(VALUE_NAME) ?? []) as Webhook[];
  }
  find(uuid: string): Webhook | undefined {
    return this.all().find((webhook) => webhook.uuid === uuid);
  }
  /** Adds a webhook; throws invalid_webhooks when there are `countMax` already. */
  async add(webhook: Webhook, countMax: number): Promise<void> {
    await this.change((all) => {
      if (all.length >= countMax) throw apiError('invalid_webhooks', countMax);
      return [...all, webhook];
    });
  }
  /** Replaces a webhook by what `next` makes of it, which may throw; resolves with it, or undefined when there is none. */
  async edit(uuid: string, next: (before: Webhook) => Webhook): Promise<Webhook | undefined> {
    const isWanted = (webhook: Webhook): boolean => webhook.uuid === uuid;
    const all = await this.change((before) => before.map((webhook) => (isWanted(webhook) ? next(webhook) : webhook)));
    return all.find(isWanted);
  }
  async delete(uuid: string): Promise<void> {
    await this.change((all) => all.filter((webhook) => webhook.uuid !== uuid));
  }

  private change(next: (all: readonly Webhook[]) => readonly Webhook[]): Promise<readonly Webhook[]> {
    return this.values.change(VALUE_NAME, (all) => next((all ?? []) as Webhook[]));
  }
}

/** The webhook object of the API, with its authorization masked. */
export function webhookToJson({ uuid, url, headers }: Webhook): WebhookAnswer {
  const shown = Object.entries(headers).map(([name, value]) => [
    name,
    name.toLowerCase() === 'authorization' ? maskAuthorization(value) : value,
  ]);
  return { uuid, isEditable: uuid !== COMMAND_LINE_WEBHOOK_UUID, url, headers: Object.fromEntries(shown) };
}

function maskAuthorization(value: string): string {
  const prefix = 'Bearer ';
  return value.startsWith(prefix) ? prefix + maskSecret(value.slice(prefix.length)) : maskSecret(value);
}
