import { utf8Text } from '@fossick/base';
import { type RowSource, settingsRow } from '@fossick/format';
import {
  cleanEmbedder,
  DEFAULT_SETTINGS,
  type EmbedderConfig,
  FOUND_DIMENSIONS,
  type IndexSettings,
  withoutOwnDefaults,
} from '@fossick/settings';

export function readSettings(rows: RowSource): IndexSettings {
  return decodeSettings(settingsRow(rows));
}

export function decodeSettings(row: Uint8Array | undefined): IndexSettings {
  // Settings of an older release may lack newer keys, and its embedders have fields of an earlier source.
  const stored = row === undefined ? {} : (JSON.parse(utf8Text(row)) as Partial<IndexSettings>);
  const settings = { ...DEFAULT_SETTINGS, ...stored };
  const embedders = Object.entries(settings.embedders);
  if (embedders.length === 0) return settings;
  return {
    ...settings,
    embedders: Object.fromEntries(embedders.map(([name, value]) => [name, storedEmbedder(value)])),
  };
}

function storedEmbedder(value: unknown): EmbedderConfig {
  const found = (value as EmbedderConfig)[FOUND_DIMENSIONS];
  return { ...cleanEmbedder(value), ...(found === undefined ? {} : { [FOUND_DIMENSIONS]: found }) };
}

/** The settings as they are stored: without those that only this server has, where they have their defaults. */
export const storedSettings = (settings: IndexSettings): object => withoutOwnDefaults(settings);
