import { completing, EXPORT_BODY, formatByteSize, maskSecret, readFields } from '@fossick/api';
import { MAX_FILTER_VALUES } from '@fossick/base';
import { requireIndex, storedScope } from '@fossick/instance/access';
import { authorize, type ServerContext } from '../../context.js';
import { readJson } from '../../http/bodies/body.js';
import type { Router } from '../../http/router.js';
import { register } from '../../tasks-wire.js';

/**
 * The default payload size is this much below what this instance itself accepts, and payloads are never smaller than
 * this.
 */
const MARGIN_BYTES = 2 ** 20;
const PAYLOAD_BYTES_MIN = 20 * 2 ** 20;

const complete = completing(EXPORT_BODY);

/** Sending indexes to another instance. */
export function registerExport(router: Router, context: ServerContext): void {
  const limitBytes = context.options.payloadLimitBytes;
  router.on('POST', '/export', async (request, reply) => {
    const { scope, allowsIndex } = authorize(context, request, 'export');
    const received = readFields(
      await readJson(request, context.options.readLimitBytes, MAX_FILTER_VALUES),
      EXPORT_BODY,
    );
    const { url, apiKey, payloadSize: wished, indexes } = complete(received);
    for (const pattern of Object.keys(indexes)) if (!pattern.endsWith('*')) requireIndex({ allowsIndex }, pattern);
    const within = storedScope(scope);
    const content = {
      type: 'export' as const,
      url: url ?? '',
      apiKey,
      shownApiKey: apiKey === null ? null : maskSecret(apiKey),
      payloadSize: wished === null ? null : formatByteSize(wished),
      payloadBytes: wished ?? Math.max(PAYLOAD_BYTES_MIN, limitBytes - MARGIN_BYTES),
      indexes,
      ...(within === undefined ? {} : { scope: within }),
    };
    return register(context, reply, content, 200);
  });
}
