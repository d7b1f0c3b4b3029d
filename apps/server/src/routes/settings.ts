import type { Json, JsonObject } from '@fossick/scheduler';
import { type EmbedderConfig, type IndexSettings, resolvedChat, resolvedEmbedder } from '@fossick/settings';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { authorize, pathOf, queryOf, type ServerContext, sendJson } from '../context.js';
import { readJson } from '../http/body.js';
import type { Router } from '../http/router.js';
import { requireFeature } from '../search/search-request.js';
import { checkSentEmbedders, embedderFeatures } from '../settings/embedders.js';
import { maskEmbedders } from '../settings/secrets.js';
import { SETTINGS_TABLE, type SettingSpec } from '../settings/settings-table.js';
import { enqueue } from '../tasks-wire.js';
import { optional, readFields, readNoQuery } from '../wire/fields.js';
import { toThreeLetterLocale } from '../wire/locales.js';
import { checkIndexUid } from '../wire/values.js';
import { requireInfo } from './indexes.js';

export const ALL_FIELDS = Object.fromEntries(
  SETTINGS_TABLE.map(({ key, code, parse }) => [key, optional(code, parse)]),
);

/** Settings: all at once, and one sub-route for each (spec 02). */
export function registerSettings(router: Router, context: ServerContext): void {
  const base = '/indexes/:indexUid/settings';
  router.on('GET', base, (request, reply) => {
    const settings = readSettings(context, request);
    const shown = SETTINGS_TABLE.filter(({ feature }) => feature === undefined || context.features.isOn(feature));
    return sendJson(reply, Object.fromEntries(shown.map(({ key }) => [key, shownValue(settings, key)])));
  });
  router.on('PATCH', base, async (request, reply) => {
    const access = authorize(context, request, 'settings.update');
    readNoQuery(queryOf(request));
    const body = await readJson(request, context.options.payloadLimitBytes);
    const received: Readonly<Record<string, unknown>> = readFields(body, ALL_FIELDS);
    context.usage.counts?.members('settings', received);
    const settings: Record<string, Json> = {};
    for (const spec of SETTINGS_TABLE) {
      if (!(spec.key in received)) continue;
      checkFeature(context, spec, received[spec.key]);
      settings[spec.key] = received[spec.key] as Json;
    }
    const uid = checkIndexUid(pathOf<'indexUid'>(request).indexUid);
    return enqueueSettings(context, reply, uid, settings, access.mayCreateIndex(uid));
  });
  router.on('DELETE', base, (request, reply) => {
    authorize(context, request, 'settings.update');
    readNoQuery(queryOf(request));
    const uid = checkIndexUid(pathOf<'indexUid'>(request).indexUid);
    // the reference writes these two resets out as the value they reset to
    const isStar = (key: string): boolean => key === 'displayedAttributes' || key === 'searchableAttributes';
    const resets = SETTINGS_TABLE.map(({ key }): [string, Json] => [key, isStar(key) ? ['*'] : null]);
    return enqueueSettings(context, reply, uid, Object.fromEntries(resets), false);
  });
  for (const spec of SETTINGS_TABLE) registerOne(router, context, `${base}/${spec.path}`, spec);
}

function registerOne(router: Router, context: ServerContext, url: string, spec: SettingSpec): void {
  router.on('GET', url, (request, reply) => sendJson(reply, shownValue(readSettings(context, request), spec.key)));
  router.on(spec.verb, url, async (request, reply) => {
    const access = authorize(context, request, 'settings.update');
    readNoQuery(queryOf(request));
    const body = await readJson(request, context.options.payloadLimitBytes);
    const value = body === null ? null : spec.parse(body, { code: spec.code, path: '' });
    checkFeature(context, spec, value);
    const uid = checkIndexUid(pathOf<'indexUid'>(request).indexUid);
    return enqueueSettings(context, reply, uid, { [spec.key]: value as Json }, access.mayCreateIndex(uid));
  });
  router.on('DELETE', url, (request, reply) => {
    authorize(context, request, 'settings.update');
    readNoQuery(queryOf(request));
    const uid = checkIndexUid(pathOf<'indexUid'>(request).indexUid);
    return enqueueSettings(context, reply, uid, { [spec.key]: null }, false);
  });
}

function readSettings(context: ServerContext, request: FastifyRequest): IndexSettings {
  authorize(context, request, 'settings.get');
  readNoQuery(queryOf(request));
  return context.engine.settings(requireInfo(context.engine, pathOf<'indexUid'>(request).indexUid).uid);
}

function enqueueSettings(
  context: ServerContext,
  reply: FastifyReply,
  indexUid: string,
  settings: JsonObject,
  allowIndexCreation: boolean,
): Promise<FastifyReply> {
  if (settings.embedders !== undefined) {
    const isThere = context.engine.index(indexUid) !== undefined;
    checkSentEmbedders(settings.embedders, isThere ? context.engine.settings(indexUid).embedders : {});
  }
  return enqueue(context, reply, { type: 'settingsUpdate', indexUid, settings, allowIndexCreation });
}

function checkFeature(context: ServerContext, { feature, key }: SettingSpec, value: unknown): void {
  if (key === 'embedders')
    for (const feature of embedderFeatures(value)) requireFeature(context.features, feature, 'embedders');
  if (feature !== undefined && value !== null) requireFeature(context.features, feature, key);
}

/** A setting as GET shows it: defaults written out, secrets masked, locales in three letters. */
function shownValue(settings: IndexSettings, key: keyof IndexSettings): unknown {
  if (key === 'embedders') {
    const embedders = Object.entries(settings.embedders);
    return maskEmbedders(
      Object.fromEntries(embedders.map(([name, value]) => [name, resolvedEmbedder(value as EmbedderConfig)])),
    );
  }
  if (key === 'chat') return resolvedChat(settings.chat);
  if (key === 'localizedAttributes')
    return (
      settings.localizedAttributes?.map((rule) => ({
        attributePatterns: rule.attributePatterns,
        locales: rule.locales.map((code) => toThreeLetterLocale(code) ?? code),
      })) ?? null
    );
  return settings[key];
}
