/** Formats of dumps before V6: releases 0.20 (V1), 0.21 and 0.22 (V2), 0.23 and 0.24 (V3), 0.25 to 0.27 (V4), 0.28 to 0.30 (V5) of Meilisearch. */
const OLDER_VERSIONS = ['V1', 'V2', 'V3', 'V4', 'V5'] as const;
export type OlderVersion = (typeof OLDER_VERSIONS)[number];

export function isOlderVersion(version: unknown): version is OlderVersion {
  return OLDER_VERSIONS.some((one) => one === version);
}

/** Paths inside dumps of V2 to V5. */
export const olderPaths = {
  instanceUid: 'instance-uid',
  keys: 'keys',
  indexNames: 'index_uuids/data.jsonl',
  indexInfo: 'meta.json',
  updates: 'updates/data.jsonl',
  /** Of V1, in the folder of an index. */
  indexUpdates: 'updates.jsonl',
} as const;

/** An object whose members are not checked yet. */
export type Loose = Readonly<Record<string, unknown>>;

/** The only member of an object that stands for a variant, `{"Name": value}`; a text is a variant without a value. */
export function variantOf(value: unknown): readonly [name: string, value: unknown] {
  if (typeof value === 'string') return [value, undefined];
  if (typeof value !== 'object' || value === null) return ['', undefined];
  return Object.entries(value)[0] ?? ['', undefined];
}

/** The value if it is an object; otherwise an empty object. */
export function looseOf(value: unknown): Loose {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Loose) : {};
}
