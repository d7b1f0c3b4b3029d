/** A webhook as the server shows it: values of headers with secrets are masked. */
export interface Webhook {
  readonly uuid: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly isEditable: boolean;
}

/** The body of a change: only headers that were changed, because a masked value is none; null takes one away. */
export function webhookChanges(
  before: Pick<Webhook, 'url' | 'headers'>,
  after: Partial<Pick<Webhook, 'url' | 'headers'>>,
) {
  const headers = after.headers ?? {};
  const changed = Object.entries(headers).filter(([name, value]) => before.headers[name] !== value);
  const gone = Object.keys(before.headers).filter((name) => !Object.hasOwn(headers, name));
  return { url: after.url, headers: Object.fromEntries([...changed, ...gone.map((name) => [name, null])]) };
}
