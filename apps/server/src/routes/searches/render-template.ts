import { FEATURE_NAMES } from '@fossick/api';
import { runJob } from '@fossick/search-service';
import { authorize, type ServerContext, sendBytes } from '../../context.js';
import { readCountedBytes } from '../../http/bodies/body.js';
import type { Router } from '../../http/router.js';

/** Tests templates. */
export function registerRenderTemplate(router: Router, context: ServerContext): void {
  router.on('POST', '/render-template', async (request, reply) => {
    const { scope } = authorize(context, request, 'settings.get');
    authorize(context, request, 'documents.get');
    const body = await readCountedBytes(request, context.options.readLimitBytes);
    const features = FEATURE_NAMES.filter(context.features.isOn);
    return sendBytes(reply, (await runJob(context, { kind: 'render', body, features, scope })).value);
  });
}
