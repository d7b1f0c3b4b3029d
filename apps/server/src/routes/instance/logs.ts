import { PassThrough } from 'node:stream';
import { boolean, oneOf, optional, type Parser, readFields, requireFeature, string, wrongValue } from '@fossick/api';
import { apiError } from '@fossick/base';
import { authorize, type ServerContext } from '../../context.js';
import { readJson } from '../../http/bodies/body.js';
import { sendEmpty } from '../../http/errors.js';
import type { Router } from '../../http/router.js';
import { parseLogTarget } from '../../logs/log-tap.js';

const target: Parser<number> = (value, where) => {
  const level = parseLogTarget(string(value, where));
  if (level === undefined)
    throw wrongValue(where, `\`${String(value)}\` is not a comma list of \`level\` or \`module=level\`.`);
  return level;
};
export const STREAM_BODY = {
  target: optional('bad_request', target),
  mode: optional('bad_request', oneOf('human', 'json', 'profile')),
  profileMemory: optional('bad_request', boolean),
};
export const STDERR_BODY = { target: optional('bad_request', target) };
const INFO = parseLogTarget('info')!;

/** The log of the running server: stream it, and change the level of stderr. */
export function registerLogs(router: Router, context: ServerContext): void {
  const limitBytes = context.options.readLimitBytes;
  const requireOn = (): void => requireFeature(context.features, 'logsRoute', '/logs');
  router.on('POST', '/logs/stream', async (request, reply) => {
    authorize(context, request, 'metrics.get');
    const body = readFields(await readJson(request, limitBytes), STREAM_BODY);
    const mode = body.mode ?? 'human';
    // the reference answers with this code, although it does not fit
    if (body.profileMemory === true && mode !== 'profile')
      throw apiError('invalid_settings_typo_tolerance', 'profileMode');
    requireOn();
    if (context.logs.isStreaming) throw apiError('bad_request', 'alreadyStreaming');
    const stream = new PassThrough();
    context.logs.open(stream, body.target ?? INFO, mode, reply.raw);
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
    const body = readFields(await readJson(request, limitBytes), STDERR_BODY);
    requireOn();
    context.logs.setStderrLevel(body.target ?? INFO);
    return sendEmpty(reply, 204);
  });
}
