import { PassThrough } from 'node:stream';
import { completing, LOG_LEVEL_BODY, LOG_STREAM_BODY, parseLogTarget, readFields, requireFeature } from '@fossick/api';
import { apiError } from '@fossick/base';
import type { Access } from '@fossick/instance/access';
import { authorize, type ServerContext } from '../../context.js';
import { readJson } from '../../http/bodies/body.js';
import { sendEmpty } from '../../http/errors.js';
import type { Router } from '../../http/router.js';
import { LastingRight } from '../../streams/lasting-right.js';

const completeStream = completing(LOG_STREAM_BODY);
const completeLevel = completing(LOG_LEVEL_BODY);

/** The log of the running server: stream it, and change the level of stderr. */
export function registerLogs(router: Router, context: ServerContext): void {
  const limitBytes = context.options.readLimitBytes;
  const requireOn = (): void => requireFeature(context.features, 'logsRoute', '/logs');
  router.on('POST', '/logs/stream', async (request, reply) => {
    const check = (): Access[] => [authorize(context, request, 'metrics.get')];
    check();
    const received = readFields(await readJson(request, limitBytes), LOG_STREAM_BODY);
    const { target, mode, profileMemory } = completeStream(received);
    // the reference answers with this code, although it does not fit
    if (profileMemory && mode !== 'profile') throw apiError('invalid_settings_typo_tolerance', 'profileMode');
    requireOn();
    if (context.logs.isStreaming) throw apiError('bad_request', 'alreadyStreaming');
    const stream = new PassThrough();
    const right = new LastingRight(context, {
      authorization: request.headers.authorization,
      check: () => {
        requireOn();
        return check();
      },
      onLost: () => context.logs.close(stream),
    });
    stream.once('close', () => right[Symbol.dispose]());
    const listener = { stream, level: parseLogTarget(target)!, mode, mayListen: () => right.holds() };
    context.logs.open(listener, reply.raw);
    reply.header('x-accel-buffering', 'no').header('content-type', 'text/plain; charset=utf-8').send(stream);
    // sends the headers at once, because there may be nothing to log for a long time
    reply.raw.flushHeaders();
    return reply;
  });
  router.on('DELETE', '/logs/stream', (request, reply) => {
    authorize(context, request, 'metrics.get');
    requireOn();
    context.logs.close();
    return sendEmpty(reply, 204);
  });
  router.on('POST', '/logs/stderr', async (request, reply) => {
    authorize(context, request, 'metrics.get');
    const { target } = completeLevel(readFields(await readJson(request, limitBytes), LOG_LEVEL_BODY));
    requireOn();
    context.logs.setStderrLevel(parseLogTarget(target)!);
    return sendEmpty(reply, 204);
  });
}
