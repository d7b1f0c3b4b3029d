/** A UUIDv7: 48 bits of milliseconds, then random, so that uids sort by time (RFC 9562 section 5.7). */
export function newRequestUid(nowMs = Date.now()): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  for (let at = 0; at < 6; at++) bytes[at] = Math.floor(nowMs / 256 ** (5 - at)) % 256;
  bytes[6] = (bytes[6]! & 0x0f) | 0x70;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
