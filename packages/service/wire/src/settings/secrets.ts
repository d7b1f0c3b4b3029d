/** A secret as answers show it: only its first characters. */
export function maskSecret(secret: string): string {
  const byteCount = Buffer.byteLength(secret);
  if (byteCount < 10) return 'XXX...';
  if (byteCount < 20) return `${secret.slice(0, 2)}XXXX...`;
  if (byteCount < 30) return `${secret.slice(0, 3)}XXXXX...`;
  return `${secret.slice(0, 5)}XXXXXX...`;
}

/** Embedders with every `apiKey` masked, nested ones too. */
export function maskEmbedders(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(maskEmbedders);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      name === 'apiKey' && typeof member === 'string' ? maskSecret(member) : maskEmbedders(member),
    ]),
  );
}
