import type { IndexAnswer } from '@fossick/api';
import { coversIndex } from '@fossick/api';
import { type InstanceClient, listAll } from '@fossick/instance/client';
import type { InstanceMove } from '@fossick/runtime/extension';
import { moveKeys } from './move-access.js';
import { countOf } from './move-documents.js';
import { MoveError } from './move-error.js';
import { moveIndex } from './move-index.js';
import { moveFeatures, moveNetwork, moveSearchRules } from './move-instance-values.js';
import type { MoveReport } from './move-report.js';

/** Documents are read with `POST /indexes/{uid}/documents/fetch`, which this release introduced. */
const OLDEST = [1, 2] as const;

export interface MovePlan extends InstanceMove {
  readonly report: MoveReport;
  /** Uids, or prefixes of uids followed by `*`; null: all of them, and the values of the whole instance. */
  readonly indexes: readonly string[] | null;
  readonly isReplacing: boolean;
  /** Default keys of a new target; null when it existed before. */
  readonly ownKeys: readonly string[] | null;
  /** Move what extensions keep, last, so that nothing of it hears of the tasks of the move. */
  readonly more?: readonly ((move: InstanceMove) => Promise<void>)[];
}

/**
 * Copies one running instance to another. Throws MoveError when it cannot continue; the next run continues from there.
 */
export async function moveInstance(plan: MovePlan): Promise<void> {
  const { source, target, report } = plan;
  const from = await versionOf(source);
  const to = await versionOf(target);
  report.line(`from ${source.address} (${from}) to ${target.address} (${to})`);
  const wanted = await chosenIndexes(source, plan.indexes);
  if (plan.indexes === null) await moveFeatures(plan);
  for (const index of wanted) await moveIndex(plan, index);
  if (plan.indexes !== null) return;
  await moveSearchRules(plan);
  await moveKeys(plan, plan.ownKeys);
  await moveNetwork(plan);
  for (const moveMore of plan.more ?? []) await moveMore(plan);
  report.note('the history of tasks stays with the source');
}

/** Reports what a move would copy. Throws MoveError like a move. */
export async function dryRunMove({ source, report, indexes }: Omit<MovePlan, 'target' | 'ownKeys'>): Promise<void> {
  report.line(`from ${source.address} (${await versionOf(source)})`);
  for (const { uid } of await chosenIndexes(source, indexes))
    report.line(`  ${uid}: ${(await countOf(source, uid)).toLocaleString('en-US')} documents`);
  report.line('nothing was moved');
}

async function chosenIndexes(source: InstanceClient, patterns: readonly string[] | null): Promise<IndexAnswer[]> {
  const listed = await listAll<IndexAnswer>(source, '/indexes');
  for (const pattern of patterns ?? [])
    if (!listed.some(({ uid }) => coversIndex(pattern, uid)))
      throw new MoveError(`the source has no index \`${pattern}\``);
  return listed.filter(({ uid }) => patterns?.some((pattern) => coversIndex(pattern, uid)) ?? true);
}

/** The version of an instance. Throws MoveError when there is no answer, when it is something else, or too old. */
export async function versionOf(instance: InstanceClient): Promise<string> {
  const version = await instance.call<{ pkgVersion?: unknown } | null>('GET', '/version', { attempts: 2 });
  const [, major, minor] = /^v?(\d+)\.(\d+)/.exec(String(version?.pkgVersion ?? '')) ?? [];
  if (major === undefined)
    throw new MoveError(`the ${instance.role} ${instance.address} answers, but not like Meilisearch or Fossick`);
  const [oldestMajor, oldestMinor] = OLDEST;
  if (Number(major) < oldestMajor || (Number(major) === oldestMajor && Number(minor) < oldestMinor))
    throw new MoveError(
      `the ${instance.role} ${instance.address} is of version ${String(version?.pkgVersion)}: it takes ${OLDEST.join('.')} or later; ` +
        'upgrade it, or have it write a dump and import that',
    );
  return String(version?.pkgVersion);
}
