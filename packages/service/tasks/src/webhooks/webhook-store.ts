import { maskSecret } from '@fossick/api';
import type { InstanceValues } from '@fossick/instance';

const VALUE_NAME = 'webhooks';
/** The uuid under which the webhook of the command line is listed. */
export const COMMAND_LINE_WEBHOOK_UUID = '00000000-0000-0000-0000-000000000000';

/** An address that finished tasks are posted to. Header names keep their given case. */
export interface Webhook {
  readonly uuid: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** The webhooks of the instance: durable ones created by the API, and the one of the command line. */
export class WebhookStore {
  private readonly values: InstanceValues;
  private readonly fixed: Webhook | null;

  constructor(values: InstanceValues, fixed: Webhook | null) {
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
  put(webhook: Webhook): void {
    const all = this.editable();
    const at = all.findIndex(({ uuid }) => uuid === webhook.uuid);
    this.values.put(VALUE_NAME, at < 0 ? [...all, webhook] : all.with(at, webhook));
  }
  delete(uuid: string): void {
    const rest = this.editable().filter((webhook) => webhook.uuid !== uuid);
    this.values.put(VALUE_NAME, rest);
  }
}

/** The webhook given by `--task-webhook-url`, or null. */
export function commandLineWebhook(url: string | null, authorization: string | null): Webhook | null {
  if (url === null) return null;
  const headers = authorization === null ? {} : { Authorization: authorization };
  return { uuid: COMMAND_LINE_WEBHOOK_UUID, url, headers };
}

/** The webhook object of the API, with its authorization masked. */
export function webhookToJson({ uuid, url, headers }: Webhook): object {
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
