/** Characters of a secret below which it is not hidden: it would hide words of every text. */
const SECRET_CHARS_MIN = 4;

/** A text of another server as one line of at most `chars` characters, without the secrets that it may echo. */
export function quoted(text: string, chars: number, secrets: readonly string[] = []): string {
  let shown = text;
  for (const secret of secrets) if (secret.length >= SECRET_CHARS_MIN) shown = shown.replaceAll(secret, '***');
  const line = shown.replace(/\s+/g, ' ').trim();
  return line.length > chars ? `${line.slice(0, chars)}…` : line;
}

/** The message of an error, or of its cause where it has none: an error of several connection attempts has none. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code } = error as { readonly code?: unknown };
  const cause = error.cause instanceof Error ? error.cause.message : '';
  return error.message || cause || (typeof code === 'string' ? code : error.name);
}
