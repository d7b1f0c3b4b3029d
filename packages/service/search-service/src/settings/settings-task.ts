import {
  checkIndexUid,
  optional,
  readFields,
  requireFeature,
  type SearchFeatures,
  shownEmbedders,
  toThreeLetterLocale,
} from '@fossick/api/requests';
import type { Json, JsonObject } from '@fossick/base';
import type { EngineReader } from '@fossick/index';
import {
  checkSentEmbedders,
  type EmbedderConfig,
  embedderFeatures,
  type IndexSettings,
  resolvedChat,
  resolvedEmbedder,
  SETTINGS_TABLE,
  type SettingSpec,
  withoutOwnDefaults,
} from '@fossick/settings';

/** The task of a change of settings, as the task log takes it. */
export interface SettingsUpdate {
  readonly type: 'settingsUpdate';
  readonly indexUid: string;
  /** Checked values; null resets a setting. */
  readonly settings: JsonObject;
  readonly allowIndexCreation: boolean;
}

/** What checking settings depends on. */
interface SettingsContext {
  readonly engine: EngineReader;
  readonly features: SearchFeatures;
}

/** Body of a change of settings. */
export const ALL_FIELDS = Object.fromEntries(
  SETTINGS_TABLE.map(({ key, code, kind, parseSent }) => [key, optional(code, { ...kind, parse: parseSent })]),
);

/** The settings that a body changes, each checked by itself. @throws ApiError */
export function readSettings(body: unknown): Readonly<Record<string, unknown>> {
  return readFields(body, ALL_FIELDS);
}

/**
 * The task of a change of the settings that `readSettings` returned. @throws ApiError for invalid combinations, or
 * settings that are invalid here
 */
export function settingsTask(
  instance: SettingsContext,
  uid: string,
  received: Readonly<Record<string, unknown>>,
  mayCreateIndex: (uid: string) => boolean,
): SettingsUpdate {
  const settings: Record<string, Json> = {};
  for (const spec of SETTINGS_TABLE) {
    if (!(spec.key in received)) continue;
    checkFeature(instance, spec, received[spec.key]);
    settings[spec.key] = received[spec.key] as Json;
  }
  const indexUid = checkIndexUid(uid);
  return checkedTask(instance, indexUid, settings, mayCreateIndex(indexUid));
}

/** The task that changes one setting to a value of the API; null resets it. @throws ApiError */
export function settingTask(
  instance: SettingsContext,
  spec: SettingSpec,
  uid: string,
  given: unknown,
  mayCreateIndex: (uid: string) => boolean,
): SettingsUpdate {
  const value = given === null ? null : spec.parseSent(given, { code: spec.code, path: '' });
  checkFeature(instance, spec, value);
  const indexUid = checkIndexUid(uid);
  return checkedTask(instance, indexUid, { [spec.key]: value as Json }, mayCreateIndex(indexUid));
}

/** The task that resets all settings to their defaults. */
export function resetTask(uid: string): SettingsUpdate {
  return newTask(checkIndexUid(uid), Object.fromEntries(SETTINGS_TABLE.map(resetOf)), false);
}

/** The task that resets one setting to its default. */
export function resetOneTask(uid: string, { key }: SettingSpec): SettingsUpdate {
  return newTask(checkIndexUid(uid), Object.fromEntries([resetOf({ key })]), false);
}

/** A setting and the value that resets it: as in the reference engine, two are reset by the default's own value. */
function resetOf({ key }: Pick<SettingSpec, 'key'>): [name: string, value: Json] {
  const isStar = key === 'displayedAttributes' || key === 'searchableAttributes';
  return [key, isStar ? ['*'] : null];
}

function checkedTask(
  { engine }: Pick<SettingsContext, 'engine'>,
  indexUid: string,
  settings: JsonObject,
  allowIndexCreation: boolean,
): SettingsUpdate {
  if (settings.embedders !== undefined) {
    const isThere = engine.index(indexUid) !== undefined;
    checkSentEmbedders(settings.embedders, isThere ? engine.settings(indexUid).embedders : {});
  }
  return newTask(indexUid, settings, allowIndexCreation);
}

const newTask = (indexUid: string, settings: JsonObject, allowIndexCreation: boolean): SettingsUpdate => ({
  type: 'settingsUpdate',
  indexUid,
  settings,
  allowIndexCreation,
});

function checkFeature(
  { features }: Pick<SettingsContext, 'features'>,
  { feature, key }: SettingSpec,
  value: unknown,
): void {
  if (key === 'embedders') for (const needed of embedderFeatures(value)) requireFeature(features, needed, 'embedders');
  if (feature !== undefined && value !== null) requireFeature(features, feature, key);
}

/** All settings in the API's form, without those of disabled features. */
export function shownSettings(settings: IndexSettings, features: SearchFeatures): Record<string, unknown> {
  const shown = SETTINGS_TABLE.filter(({ feature }) => feature === undefined || features.isOn(feature));
  return withoutOwnDefaults(Object.fromEntries(shown.map(({ key }) => [key, shownValue(settings, key)])));
}

/** One setting in the API's form: defaults written out, secrets masked, locales in three letters. */
export function shownValue(settings: IndexSettings, key: keyof IndexSettings): unknown {
  if (key === 'embedders') {
    const embedders = Object.entries(settings.embedders);
    return shownEmbedders(
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
