/** The uuid under which the webhook of the command line is listed. */
export const COMMAND_LINE_WEBHOOK_UUID = '00000000-0000-0000-0000-000000000000';

/** An address that finished tasks are posted to, as it is stored. Header names keep their given case. */
export interface Webhook {
  readonly uuid: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** The stored value of the instance that holds those of the API, the oldest first. */
export const VALUE_NAME = 'webhooks';
