import type { IndexSettings } from './settings-table.js';

export type * from './setting-types.js';
export type { IndexSettings } from './settings-table.js';

/**
 * A settings update: an absent key is unchanged, null resets to the default. typoTolerance, minWordSizeForTypos,
 * faceting and pagination merge key by key. Values have passed the API's validation.
 */
export type SettingsPatch = { readonly [K in keyof IndexSettings]?: PatchValue<IndexSettings[K]> | null };
type PatchValue<T> = T extends readonly unknown[] | string | number | boolean | null
  ? T
  : { readonly [K in keyof T]?: unknown };
