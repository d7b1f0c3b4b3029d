import { utf8Length } from '@fossick/base';
import { isJsonObject } from '@fossick/base/contract';
import { floatOf, numberIn } from '@fossick/documents';

/** The setting `embedders` as answers show it: every `apiKey` masked, nested ones too, and `distribution` in floats. */
export function shownEmbedders(value: unknown): unknown {
  const masked = maskKeys(value);
  return isJsonObject(masked) ? mapMembers(masked, (_name, embedder) => withFloats(embedder)) : masked;
}

function maskKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(maskKeys);
  if (!isJsonObject(value)) return value;
  return mapMembers(value, (name, member) =>
    name === 'apiKey' && typeof member === 'string' ? maskSecret(member) : maskKeys(member),
  );
}

/** An embedder whose `distribution` prints whole numbers as `1.0`. `request` and `response` are the user's own text. */
function withFloats(embedder: unknown): unknown {
  if (!isJsonObject(embedder)) return embedder;
  return mapMembers(embedder, (name, member) => {
    if (name === 'searchEmbedder' || name === 'indexingEmbedder') return withFloats(member);
    if (name !== 'distribution' || !isJsonObject(member)) return member;
    return mapMembers(member, (_name, value) => floatOf(numberIn(value) ?? Number.NaN));
  });
}

function mapMembers(
  object: Record<string, unknown>,
  change: (name: string, value: unknown) => unknown,
): Record<string, unknown> {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(name, value)]));
}

/** A secret as answers show it: only its first characters. */
export function maskSecret(secret: string): string {
  const byteCount = utf8Length(secret);
  if (byteCount < 10) return 'XXX...';
  if (byteCount < 20) return `${secret.slice(0, 2)}XXXX...`;
  if (byteCount < 30) return `${secret.slice(0, 3)}XXXXX...`;
  return `${secret.slice(0, 5)}XXXXXX...`;
}
