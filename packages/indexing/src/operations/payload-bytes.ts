import { statSync } from 'node:fs';
import type { DocumentOperation } from './operation.js';

/** Bytes of all payloads. One that is missing is missed when it is read. */
export function payloadBytes(operations: readonly DocumentOperation[]): number {
  let bytes = 0;
  for (const operation of operations) {
    if ('payloadFile' in operation) bytes += statSync(operation.payloadFile, { throwIfNoEntry: false })?.size ?? 0;
  }
  return bytes;
}
