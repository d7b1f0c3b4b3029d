import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { JsonObject } from '@fossick/base';
import { openLocalChanges, RuleStore, ruleToJson } from '@fossick/instance';
import { DEFAULT_SETTINGS } from '@fossick/settings';
import type { Store } from '@fossick/storage';
import { RULES_INDEX_UID } from '@fossick/tasks';
import { linesOf } from './format/json-lines.js';
import { paths } from './format/layout.js';

/** Writes the search rules as the documents of an index of their own, the form in which dumps contain them. */
export async function dumpSearchRules(store: Store, folder: string): Promise<void> {
  const rules = new RuleStore(store, openLocalChanges(store)).inPrecedence();
  if (rules.length === 0) return;
  const index = join(folder, paths.indexes, RULES_INDEX_UID);
  await mkdir(index, { recursive: true });
  const dates = rules.map(({ lastUpdatedAt }) => lastUpdatedAt).sort();
  const metadata = { uid: RULES_INDEX_UID, primaryKey: 'uid', createdAt: dates[0], updatedAt: dates.at(-1) };
  await writeFile(join(index, paths.metadata), JSON.stringify(metadata));
  await writeFile(join(index, paths.settings), JSON.stringify(DEFAULT_SETTINGS));
  const lines = rules.map((rule) => `${JSON.stringify(ruleToJson(rule))}\n`);
  await writeFile(join(index, paths.documents), lines.join(''));
}

/** Imports the search rules of an unpacked dump, if it has any. */
export async function importSearchRules(store: Store, folder: string): Promise<void> {
  const file = join(folder, paths.indexes, RULES_INDEX_UID, paths.documents);
  if (!existsSync(file)) return;
  const updates = [];
  for await (const { uid, lastUpdatedAt, ...change } of linesOf<JsonObject>(file))
    updates.push({ ruleUid: String(uid), change, enqueuedAt: String(lastUpdatedAt) });
  await new RuleStore(store, openLocalChanges(store)).apply(updates);
}
