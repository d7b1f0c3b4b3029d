import { existsSync, statSync } from 'node:fs';
import { apiError } from '@fossick/base';
import { payloadLines } from '@fossick/documents/payloads';
import type { Payloads } from './payloads.js';

/** Payloads in files of NDJSON. One was complete when its task was accepted: a missing file was removed since. */
export const PAYLOAD_FILES: Payloads = {
  linesOf(file) {
    if (existsSync(file)) return payloadLines(file);
    throw apiError('internal', 'payloadLost');
  },
  bytesOf: (file) => statSync(file, { throwIfNoEntry: false })?.size ?? 0,
};
