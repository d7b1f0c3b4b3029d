import { isDeepStrictEqual } from 'node:util';
import type { IndexAnswer } from '@fossick/api';
import { type InstanceClient, orNull, RefusalError, withoutMasked } from '@fossick/instance/client';
import { SETTINGS_TABLE } from '@fossick/settings';
import { countOf, moveDocuments } from './move-documents.js';
import type { MoveReport } from './move-report.js';
import { taskEnd } from './task-queue.js';

export interface IndexMove {
  readonly source: InstanceClient;
  readonly target: InstanceClient;
  readonly report: MoveReport;
  /** Existing documents of the index at the target are removed first. */
  readonly isReplacing: boolean;
}

/** Settings of this release, including those of experimental features. */
const KNOWN: ReadonlySet<string> = new Set(SETTINGS_TABLE.map(({ key }) => key));
/** Clocks of two machines are compared by the dates in their answers, which are in seconds. */
const CLOCK_DOUBT_MS = 5_000;

/**
 * Copies one index: primary key, settings, documents. Its failures are added to the report, and other indexes follow.
 */
export async function moveIndex(move: IndexMove, listed: IndexAnswer): Promise<void> {
  const { source, target, report, isReplacing } = move;
  const { uid, primaryKey } = listed;
  const old = await orNull(target.call<IndexAnswer>('GET', `/indexes/${uid}`), 'index_not_found');
  if (old === null) await done(move, uid, 'POST', '/indexes', { uid, primaryKey });
  else if (isReplacing) await done(move, uid, 'DELETE', `/indexes/${uid}/documents`);
  if (old !== null && primaryKey !== null && old.primaryKey !== primaryKey) {
    const isChanged = await done(move, uid, 'PATCH', `/indexes/${uid}`, { primaryKey });
    if (!isChanged) return;
  }
  await moveSettings(move, uid);
  const mayContinue = old !== null && !isReplacing && isUnchanged(move, listed, old);
  const alreadyMovedCount = await moveDocuments({ source, target, report, uid, primaryKey, mayContinue });
  const [sourceCount, targetCount] = await Promise.all([countOf(source, uid), countOf(target, uid)]);
  report.index({ uid, sourceCount, targetCount, alreadyMovedCount });
  if (sourceCount !== targetCount) {
    const why = old !== null && targetCount > sourceCount ? ' (it had documents of its own: see --replace)' : '';
    report.problem(`index \`${uid}\`: ${sourceCount} documents in the source, ${targetCount} in the target${why}`);
  }
  const { updatedAt } = await source.call<IndexAnswer>('GET', `/indexes/${uid}`);
  if (updatedAt !== listed.updatedAt)
    report.note(
      `index \`${uid}\` was written to while it was copied: run the same command again when writes have stopped`,
    );
}

/**
 * Whether the source has not been changed since the target's index was created, so that it need not be copied again.
 */
function isUnchanged({ source, target }: IndexMove, from: IndexAnswer, to: IndexAnswer): boolean {
  const written = Date.parse(from.updatedAt) - source.clockAheadMs;
  const made = Date.parse(to.createdAt) - target.clockAheadMs;
  return written + CLOCK_DOUBT_MS < made;
}

async function moveSettings(move: IndexMove, uid: string): Promise<void> {
  const { source, target, report } = move;
  const from = await source.call<Record<string, unknown>>('GET', `/indexes/${uid}/settings`);
  const there = new Map(Object.entries(await target.call<Record<string, unknown>>('GET', `/indexes/${uid}/settings`)));
  const settings = new Map<string, unknown>();
  for (const [name, value] of Object.entries(from)) {
    // unchanged settings make no task: a repeated run changes nothing
    if (name === '_kind' || (there.has(name) && isDeepStrictEqual(there.get(name), value))) continue;
    if (there.has(name)) settings.set(name, value);
    else if (!KNOWN.has(name))
      report.problem(`index \`${uid}\`: the setting ${name}, which is not known here: ${shownValue(value)}`);
    else if (hasContent(value))
      report.problem(`index \`${uid}\`: the setting ${name}, which an experimental feature of the target is off for`);
  }
  const embedders = settings.get('embedders');
  settings.delete('embedders');
  if (settings.size > 0) await applySettings(move, uid, Object.fromEntries(settings));
  if (!hasContent(embedders)) return;
  const masked: string[] = [];
  const sent = withoutMasked(embedders, 'embedders', masked);
  await applySettings(move, uid, { embedders: sent });
  for (const path of masked)
    report.problem(
      `index \`${uid}\`: ${path}, which the source does not tell: set it with PATCH /indexes/${uid}/settings`,
    );
}

/** All at once; if that is refused one by one, so that one unacceptable value does not prevent the others. */
async function applySettings(move: IndexMove, uid: string, settings: Record<string, unknown>): Promise<void> {
  const path = `/indexes/${uid}/settings`;
  if ((await failureOf(move, 'PATCH', path, settings)) === null) return;
  for (const [name, value] of Object.entries(settings)) {
    const failure = await failureOf(move, 'PATCH', path, { [name]: value });
    if (failure !== null)
      move.report.problem(`index \`${uid}\`: the setting ${name} (${shownValue(value)}): ${failure}`);
  }
}

/** Sends a write to the target and waits for its task; false, with a problem in the report, when it fails. */
async function done(
  move: IndexMove,
  uid: string,
  method: 'POST' | 'PATCH' | 'DELETE',
  path: string,
  body?: unknown,
): Promise<boolean> {
  const failure = await failureOf(move, method, path, body);
  if (failure !== null) move.report.problem(`index \`${uid}\`: ${failure}`);
  return failure === null;
}

async function failureOf(
  { target }: IndexMove,
  method: 'POST' | 'PATCH' | 'DELETE',
  path: string,
  body?: unknown,
): Promise<string | null> {
  try {
    const { taskUid } = await target.call<{ taskUid: number }>(method, path, body === undefined ? {} : { body });
    const { status, error } = await taskEnd(target, taskUid);
    return status === 'succeeded' ? null : (error?.message ?? `its task ${taskUid} is ${status}`);
  } catch (error) {
    // an error about one body; a refused key and a broken connection end the move
    if (error instanceof RefusalError && error.status === 400) return error.message;
    throw error;
  }
}

function hasContent(value: unknown): boolean {
  if (value === null || value === undefined) return false;
  return typeof value !== 'object' || Object.keys(value).length > 0;
}
function shownValue(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}
