import { completing, formatByteSize, maskSecret, readFields } from '@fossick/api';
import { MAX_FILTER_VALUES } from '@fossick/base';
import { requireIndex, storedScope } from '@fossick/instance/access';
import type { ExtensionRoute } from '@fossick/runtime/extension';
import type { ExportContent } from '../task-kinds.js';
import { EXPORT_BODY } from './export-fields.js';

/**
 * The default payload size is this much below what this instance itself accepts, and payloads are never smaller than
 * this.
 */
const MARGIN_BYTES = 2 ** 20;
const PAYLOAD_BYTES_MIN = 20 * 2 ** 20;

const complete = completing(EXPORT_BODY);

/** Sending indexes to another instance. */
export const exportRoute = (bodyBytesMax: number): ExtensionRoute => ({
  method: 'POST',
  path: '/export',
  action: 'export',
  async answer(request) {
    const { scope, allowsIndex } = request.access;
    const received = readFields(await request.json(undefined, MAX_FILTER_VALUES), EXPORT_BODY);
    const { url, apiKey, payloadSize: wished, indexes } = complete(received);
    for (const pattern of Object.keys(indexes)) if (!pattern.endsWith('*')) requireIndex({ allowsIndex }, pattern);
    const within = storedScope(scope);
    const content: ExportContent = {
      type: 'export',
      url: url ?? '',
      apiKey,
      shownApiKey: apiKey === null ? null : maskSecret(apiKey),
      payloadSize: wished === null ? null : formatByteSize(wished),
      payloadBytes: wished ?? Math.max(PAYLOAD_BYTES_MIN, bodyBytesMax - MARGIN_BYTES),
      indexes,
      ...(within === undefined ? {} : { scope: within }),
    };
    return request.register(content, 200);
  },
});
