import { basename } from 'node:path';
import type { TaskPayload } from '@fossick/tasks';

/** Payloads up to this size are part of the record of their task. */
const INLINE_BYTES_MAX = 64 << 10;

/** The key of the object with a payload; undefined for one that is part of the record of its task. */
export function payloadKey({ payloadFile, payloadBytes }: TaskPayload): string | undefined {
  return payloadBytes <= INLINE_BYTES_MAX ? undefined : `payloads/${basename(payloadFile)}`;
}
