import { checkIndexUid, FEATURE_NAMES, parseJson, SETTINGS_TABLE, type SettingSpec } from '@fossick/api';
import type { Features } from '@fossick/instance';
import {
  readSettings,
  requireInfo,
  resetOneTask,
  resetTask,
  runInThread,
  settingsTask,
  settingTask,
  shownSettings,
  shownValue,
} from '@fossick/search-service';
import { type SettingsUpdate, settingsUpdateOf } from '@fossick/tasks';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { authorize, pathOf, type ServerContext, sendBytes, sendJson } from '../../context.js';
import { readJsonBytes } from '../../http/bodies/body.js';
import type { Router } from '../../http/router.js';
import { enqueue } from '../../tasks-wire.js';

/** Settings: all at once, and one sub-route for each. */
export function registerSettings(router: Router, context: ServerContext): void {
  const base = '/indexes/:indexUid/settings';
  router.on('GET', base, (request, reply) => show(context, request, reply, null));
  router.on('PATCH', base, (request, reply) => change(context, request, reply, null));
  router.on('DELETE', base, (request, reply) => reset(context, request, reply, resetTask));
  for (const spec of SETTINGS_TABLE) registerOne(router, context, `${base}/${spec.path}`, spec);
}

function registerOne(router: Router, context: ServerContext, url: string, spec: SettingSpec): void {
  router.on('GET', url, (request, reply) => show(context, request, reply, spec));
  router.on(spec.verb, url, (request, reply) => change(context, request, reply, spec));
  router.on('DELETE', url, (request, reply) => reset(context, request, reply, (uid) => resetOneTask(uid, spec)));
}

/** Shows one setting, or all; long settings are read and written in a search thread. */
async function show(
  context: ServerContext,
  request: FastifyRequest,
  reply: FastifyReply,
  spec: SettingSpec | null,
): Promise<FastifyReply> {
  authorize(context, request, 'settings.get');
  const { uid } = requireInfo(context.engine, uidOf(request));
  const { searchers, features } = context;
  const job = { kind: 'shownSettings', indexUid: uid, key: spec?.key ?? null, features: namesOf(features) } as const;
  if (searchers.takes(job)) return sendBytes(reply, (await runInThread(context, job)).value);
  const settings = context.engine.settings(uid);
  return sendJson(reply, spec === null ? shownSettings(settings, features) : shownValue(settings, spec.key));
}

/** Registers a change of one setting, or of several; a long body is parsed and checked in a search thread. */
async function change(
  context: ServerContext,
  request: FastifyRequest,
  reply: FastifyReply,
  spec: SettingSpec | null,
): Promise<FastifyReply> {
  const { searchers, features } = context;
  const access = authorize(context, request, 'settings.update');
  const body = await readJsonBytes(request, context.options.payloadLimitBytes);
  const indexUid = uidOf(request);
  const job = {
    kind: 'receivedSettings',
    indexUid,
    key: spec?.key ?? null,
    features: namesOf(features),
    body,
  } as const;
  if (searchers.takes(job)) {
    const text = (await runInThread(context, job)).value.toString('utf8');
    const allowIndexCreation = access.mayCreateIndex(checkIndexUid(indexUid));
    return enqueue(context, reply, settingsUpdateOf(text, { indexUid, allowIndexCreation }));
  }
  const given = parseJson(body);
  const mayCreateIndex = (uid: string): boolean => access.mayCreateIndex(uid);
  if (spec !== null) return enqueue(context, reply, settingTask(context, spec, indexUid, given, mayCreateIndex));
  const received = readSettings(given);
  context.usage.counts?.members('settings', received);
  return enqueue(context, reply, settingsTask(context, indexUid, received, mayCreateIndex));
}

const namesOf = (features: Features): readonly string[] => FEATURE_NAMES.filter(features.isOn);

const uidOf = (request: FastifyRequest): string => pathOf<'indexUid'>(request).indexUid;

function reset(
  context: ServerContext,
  request: FastifyRequest,
  reply: FastifyReply,
  taskFor: (uid: string) => SettingsUpdate,
): Promise<FastifyReply> {
  authorize(context, request, 'settings.update');
  return enqueue(context, reply, taskFor(uidOf(request)));
}
