import { orNull, RefusalError, refusalOf, withoutMasked } from '@fossick/instance/client';
import type { InstanceMove } from '@fossick/runtime/extension';
import { taskEnd } from './task-queue.js';

/** Error codes of an instance for a part that it does not have, or that is disabled. */
const ABSENT = ['feature_not_enabled', 'not_found', 'requires_enterprise_edition', ''];

type Values = Record<string, unknown>;

/** Enables the features of the source; the rest of the move may need them. */
export async function moveFeatures({ source, target, report }: InstanceMove): Promise<void> {
  const path = '/experimental-features';
  const from = await orNull(source.call<Values>('GET', path), ...ABSENT);
  const there = new Set(Object.keys(await target.call<Values>('GET', path)));
  const on = Object.entries(from ?? {}).flatMap(([name, isOn]) => (isOn === true ? [name] : []));
  const wanted = on.filter((name) => there.has(name));
  if (wanted.length > 0)
    await target.call('PATCH', path, { body: Object.fromEntries(wanted.map((name) => [name, true])) });
  for (const name of on.filter((each) => !wanted.includes(each)))
    report.note(
      `the experimental feature ${name} is on in the source and not known here: what it does is a matter of course, or missing`,
    );
  report.count('experimental features', wanted.length, on.length);
}

/** Copies the list of instances that search together. */
export async function moveNetwork({ source, target, report }: InstanceMove): Promise<void> {
  const from = await orNull(source.call<Values>('GET', '/network'), ...ABSENT);
  const remotes = (from?.['remotes'] ?? {}) as Record<string, Values>;
  if (from === null || Object.keys(remotes).length === 0) return;
  const hidden: string[] = [];
  const sent = Object.fromEntries(
    Object.entries(remotes).map(([name, { url, searchApiKey = null, writeApiKey = null }]) => [
      name,
      withoutMasked({ url, searchApiKey, writeApiKey }, `network.remotes.${name}`, hidden),
    ]),
  );
  const failure = await refusalOf(
    target.call('PATCH', '/network', { body: { self: from['self'] ?? null, remotes: sent } }),
  );
  if (failure !== null) return report.problem(`the network: ${failure}`);
  for (const path of hidden) report.problem(`${path}, which the source does not tell`);
  if ((from['leader'] ?? null) !== null)
    report.problem(`the network's leader \`${String(from['leader'])}\`: it is not known here`);
  if (Object.keys((from['shards'] ?? {}) as Values).length > 0) report.problem('the shards of the network');
  report.count('remotes', Object.keys(sent).length, Object.keys(remotes).length);
  report.note('the remotes of the network keep their addresses: change those of instances that move too');
}

/** Copies dynamic search rules. */
export async function moveSearchRules({ source, target, report }: InstanceMove): Promise<void> {
  const base = '/dynamic-search-rules';
  const rules: Values[] = [];
  for (;;) {
    const body = { offset: rules.length, limit: 1_000 };
    const page = await orNull(source.call<{ results: Values[] }>('POST', base, { body }), ...ABSENT);
    rules.push(...(page?.results ?? []));
    if ((page?.results.length ?? 0) < body.limit) break;
  }
  let movedCount = 0;
  for (const { uid, lastUpdatedAt: _when, ...body } of rules) {
    const failure = await refusalOf(
      target.call<{ taskUid: number }>('PATCH', `${base}/${String(uid)}`, { body }).then(async ({ taskUid }) => {
        const { error } = await taskEnd(target, taskUid);
        if (error !== null) throw new RefusalError(400, error.code, error.message);
      }),
    );
    if (failure === null) movedCount += 1;
    else report.problem(`the search rule \`${String(uid)}\`: ${failure}`);
  }
  report.count('search rules', movedCount, rules.length);
}
