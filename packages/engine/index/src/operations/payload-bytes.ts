import { statSync } from 'node:fs';
import type { DocumentOperation } from './operation.js';

/** Bytes of all payloads. A missing file counts as empty here; reading it reports the fault. */
export function payloadBytes(operations: readonly DocumentOperation[]): number {
  let bytes = 0;
  for (const operation of operations) {
    if ('payloadFile' in operation) bytes += statSync(operation.payloadFile, { throwIfNoEntry: false })?.size ?? 0;
  }
  return bytes;
}
