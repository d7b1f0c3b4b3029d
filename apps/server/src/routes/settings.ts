import type { SettingsUpdate } from '@fossick/scheduler';
import type { IndexSettings } from '@fossick/settings';
import { readNoQuery, SETTINGS_TABLE, type SettingSpec } from '@fossick/wire';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { authorize, pathOf, queryOf, type ServerContext, sendJson } from '../context.js';
import { readJson } from '../http/body.js';
import type { Router } from '../http/router.js';
import { requireInfo } from '../indexes/index-info.js';
import {
  readSettings,
  resetOneTask,
  resetTask,
  settingsTask,
  settingTask,
  shownSettings,
  shownValue,
} from '../settings-task.js';
import { enqueue } from '../tasks-wire.js';

/** Settings: all at once, and one sub-route for each. */
export function registerSettings(router: Router, context: ServerContext): void {
  const base = '/indexes/:indexUid/settings';
  router.on('GET', base, (request, reply) =>
    sendJson(reply, shownSettings(storedSettings(context, request), context.features)),
  );
  router.on('PATCH', base, async (request, reply) => {
    const access = authorize(context, request, 'settings.update');
    readNoQuery(queryOf(request));
    const received = readSettings(await readJson(request, context.options.payloadLimitBytes));
    context.usage.counts?.members('settings', received);
    return enqueue(context, reply, settingsTask(context, uidOf(request), received, access.mayCreateIndex));
  });
  router.on('DELETE', base, (request, reply) => reset(context, request, reply, resetTask));
  for (const spec of SETTINGS_TABLE) registerOne(router, context, `${base}/${spec.path}`, spec);
}

function registerOne(router: Router, context: ServerContext, url: string, spec: SettingSpec): void {
  router.on('GET', url, (request, reply) => sendJson(reply, shownValue(storedSettings(context, request), spec.key)));
  router.on(spec.verb, url, async (request, reply) => {
    const access = authorize(context, request, 'settings.update');
    readNoQuery(queryOf(request));
    const body = await readJson(request, context.options.payloadLimitBytes);
    return enqueue(context, reply, settingTask(context, spec, uidOf(request), body, access.mayCreateIndex));
  });
  router.on('DELETE', url, (request, reply) => reset(context, request, reply, (uid) => resetOneTask(uid, spec)));
}

const uidOf = (request: FastifyRequest): string => pathOf<'indexUid'>(request).indexUid;

function storedSettings(context: ServerContext, request: FastifyRequest): IndexSettings {
  authorize(context, request, 'settings.get');
  readNoQuery(queryOf(request));
  return context.engine.settings(requireInfo(context.engine, uidOf(request)).uid);
}

function reset(
  context: ServerContext,
  request: FastifyRequest,
  reply: FastifyReply,
  taskFor: (uid: string) => SettingsUpdate,
): Promise<FastifyReply> {
  authorize(context, request, 'settings.update');
  readNoQuery(queryOf(request));
  return enqueue(context, reply, taskFor(uidOf(request)));
}
