import type { AddedTaskType } from '@fossick/api';
import type { JsonObject } from '@fossick/base';
import type { AdditionOperation, DeletionOperation, EditionOperation } from '@fossick/documents';

/** What a faulty document does to its task: `fail` is the default and is not stored. */
export type OnDocumentError = 'fail' | 'skip';

export interface DocumentAddition extends AdditionOperation {
  readonly indexUid: string;
  /** Of the payload file, which is removed when the task ends. */
  readonly payloadBytes: number;
  readonly documentCount: number;
  readonly allowIndexCreation: boolean;
}
export interface DocumentEdition extends EditionOperation {
  readonly indexUid: string;
  /** The JSON text of the context, for a task read from the log whose context is long (long-contents.ts). */
  readonly contextText?: string;
}
export interface DocumentDeletion extends DeletionOperation {
  readonly indexUid: string;
}
export interface SettingsUpdate {
  readonly type: 'settingsUpdate';
  readonly indexUid: string;
  /** A validated patch; null resets a setting. */
  readonly settings: JsonObject;
  /** The JSON text of the settings, for a task read from the log whose settings are long (long-contents.ts). */
  readonly settingsText?: string;
  readonly allowIndexCreation: boolean;
}
export interface IndexUpdate {
  readonly type: 'indexUpdate';
  readonly indexUid: string;
  readonly primaryKey?: string | null;
  readonly newUid?: string;
  /** The name in the request, if a later swap or rename changed the index name of the task. */
  readonly askedUid?: string;
}
export interface Swap {
  readonly indexes: readonly [string, string];
  readonly rename: boolean;
}
export interface TaskSelection {
  readonly type: 'taskCancelation' | 'taskDeletion';
  /** The uids that matched at the time of the request; tasks registered later are not affected. */
  readonly taskUids: readonly number[];
  /** `?` and the raw query string. */
  readonly originalFilter: string;
}
/** A task of an extension's kind (task-kind.ts); its other members are JSON that the extension reads. */
export type AddedContent = {
  [T in AddedTaskType]: { readonly type: T } | { readonly type: T; readonly indexUid: string };
}[AddedTaskType];

/** All that executing a task needs. */
export type TaskContent =
  | DocumentAddition
  | DocumentEdition
  | DocumentDeletion
  | SettingsUpdate
  | { readonly type: 'indexCreation'; readonly indexUid: string; readonly primaryKey: string | null }
  | { readonly type: 'indexDeletion'; readonly indexUid: string }
  | IndexUpdate
  | { readonly type: 'indexSwap'; readonly swaps: readonly Swap[] }
  | TaskSelection
  | AddedContent
  | { readonly type: 'upgradeDatabase'; readonly from: string; readonly to: string }
  | { readonly type: 'indexCompaction'; readonly indexUid: string }
  | { readonly type: 'networkTopologyChange'; readonly message: string }
  | { readonly type: 'dsrUpdate'; readonly ruleUid: string; readonly rule: JsonObject | null }
  | { readonly type: 'dsrClear' };

/**
 * The index name that the API shows for tasks on search rules, because the reference engine stores them in an index of
 * that name.
 */
export const RULES_INDEX_UID = '.meili_dsr';

/** A file that a task needs until it ends. */
export interface TaskPayload {
  readonly payloadFile: string;
  readonly payloadBytes: number;
}

/** The payload of a task; undefined when it has none. */
export function payloadOf(content: TaskContent): TaskPayload | undefined {
  if (content.type === 'documentAdditionOrUpdate') return content;
  return content.type === 'documentDeletion' && content.target.by === 'idFile' ? content.target : undefined;
}

/** Whether faulty documents of the task are skipped instead of failing it. */
export function skipsFaulty(content: TaskContent): boolean {
  return 'onDocumentError' in content && content.onDocumentError === 'skip';
}

/** The index a task works on; null for global types. */
export function indexUidOf(content: TaskContent): string | null {
  return 'indexUid' in content ? content.indexUid : null;
}
