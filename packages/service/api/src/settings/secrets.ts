import { utf8Length } from '@fossick/base';
/** A secret as answers show it: only its first characters. */
export function maskSecret(secret: string): string {
  const byteCount = utf8Length(secret);
  if (byteCount < 10) return 'XXX...';
  if (byteCount < 20) return `${secret.slice(0, 2)}XXXX...`;
  if (byteCount < 30) return `${secret.slice(0, 3)}XXXXX...`;
  return `${secret.slice(0, 5)}XXXXXX...`;
}
