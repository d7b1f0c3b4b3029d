import { upgradedSettings } from './older-settings.js';
import type { Loose } from './older-version.js';

/** The content of a task of an older dump in the form of V6, and its result. */
export interface TaskKind {
  readonly type: string | Loose;
  readonly details?: Loose;
}

/**
 * An addition of `documents_count` documents (0 before V5 for those of even older releases), of which `indexed` were
 * indexed; undefined when it has not run.
 */
export function additionKind(members: Loose, count: number, indexed: number | undefined): TaskKind {
  const { primary_key, allow_index_creation } = members;
  const method = members.method ?? members.merge_strategy;
  return {
    type: {
      documentImport: {
        primary_key: primary_key ?? null,
        method: method === 'UpdateDocuments' ? 'UpdateDocuments' : 'ReplaceDocuments',
        documents_count: Math.max(count, indexed ?? 0),
        allow_index_creation: allow_index_creation !== false,
      },
    },
    ...(indexed === undefined ? {} : { details: { DocumentAdditionOrUpdate: { indexed_documents: indexed } } }),
  };
}

export function deletionKind(ids: readonly unknown[], deleted: number | undefined): TaskKind {
  return {
    type: { documentDeletion: { documents_ids: ids.map(String) } },
    ...(deleted === undefined ? {} : { details: { DocumentDeletion: { deleted_documents: deleted } } }),
  };
}

export function clearKind(deleted: number | undefined): TaskKind {
  return {
    type: 'documentClear',
    ...(deleted === undefined ? {} : { details: { ClearAll: { deleted_documents: deleted } } }),
  };
}

export function settingsKind(settings: unknown): TaskKind {
  return { type: { settings: { settings: upgradedSettings(settings), allow_index_creation: true } } };
}
