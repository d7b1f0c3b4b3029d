import { readUuid } from '@fossick/api';
import type { ApiKey } from '@fossick/instance/access';

export const DUMP_VERSION = 'V6';

/** Paths inside a dump. */
export const paths = {
  metadata: 'metadata.json',
  instanceUid: 'instance_uid.uuid',
  keys: 'keys.jsonl',
  tasks: 'tasks/queue.jsonl',
  payloads: 'tasks/update_files',
  payload: (taskUid: number): string => `tasks/update_files/${taskUid}.jsonl`,
  batchFolder: 'batches',
  /** Errors of skipped documents; only this server writes and reads it. */
  documentErrors: 'tasks/document_errors.jsonl',
  batches: 'batches/queue.jsonl',
  indexes: 'indexes',
  settings: 'settings.json',
  documents: 'documents.jsonl',
  features: 'experimental-features.json',
  network: 'network.json',
} as const;

/** The contents of an index's `metadata.json`. */
export interface IndexMetadata {
  readonly uid: string;
  readonly primaryKey: string | null;
  /** RFC 3339. */
  readonly createdAt: string;
  readonly updatedAt: string;
  /**
   * Flattened names of the fields that its documents have, in order of their ids. An addition of this server, which
   * others ignore and whose dumps lack it.
   */
  readonly fieldNames: readonly string[];
}

export const NO_NETWORK = {
  self: null,
  remotes: {},
  shards: {},
  leader: null,
  version: '00000000-0000-0000-0000-000000000000',
};

/** A line of `keys.jsonl`. */
export interface KeyLine {
  readonly uid: string;
  readonly name?: string | null;
  readonly description?: string | null;
  readonly actions: readonly string[];
  readonly indexes: readonly string[];
  readonly expires_at?: string | null;
  readonly created_at: string;
  readonly updated_at: string;
}
export function keyToLine(key: ApiKey): KeyLine {
  return {
    description: key.description,
    name: key.name,
    uid: key.uid,
    actions: key.actions,
    indexes: key.indexes,
    expires_at: key.expiresAt,
    created_at: key.createdAt,
    updated_at: key.updatedAt,
  };
}
export function keyOfLine(line: KeyLine): ApiKey {
  const isKey = typeof line.uid === 'string' && readUuid(line.uid) !== undefined;
  if (!isKey) throw new TypeError(`a key has no uid but ${JSON.stringify(line.uid) ?? 'none'}`);
  for (const name of ['actions', 'indexes'] as const)
    if (!Array.isArray(line[name]) || !line[name].every((one) => typeof one === 'string'))
      throw new TypeError(`the key ${line.uid} has no list of ${name}`);
  return {
    uid: line.uid,
    name: line.name ?? null,
    description: line.description ?? null,
    actions: line.actions,
    indexes: line.indexes,
    expiresAt: line.expires_at ?? null,
    createdAt: line.created_at,
    updatedAt: line.updated_at,
  };
}
