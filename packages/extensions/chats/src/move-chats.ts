import { listAll, orNull, refusalOf, withoutMasked } from '@fossick/instance/client';
import type { InstanceMove } from '@fossick/runtime/extension';

/** Error codes of an instance that has no conversations, or has them switched off. */
const ABSENT = ['feature_not_enabled', 'not_found', 'route_not_found', 'chat_not_found', ''];

type Settings = Readonly<Record<string, unknown>>;

/** Copies the settings of conversations, without secrets, which are never shown. */
export async function moveChats({ source, target, report }: InstanceMove): Promise<void> {
  const workspaces = await orNull(listAll<{ uid: string }>(source, '/chats'), ...ABSENT);
  let movedCount = 0;
  for (const { uid } of workspaces ?? []) {
    const path = `/chats/${uid}/settings`;
    const settings = await orNull(source.call<Settings>('GET', path), ...ABSENT);
    if (settings === null) continue;
    const hidden: string[] = [];
    const body = withoutMasked(settings, '', hidden) as Settings;
    const failure = await refusalOf(target.call('PATCH', path, { body }));
    if (failure === null) movedCount += 1;
    else report.problem(`the chat workspace \`${uid}\`: ${failure}`);
    // some sources need none
    const isVerified = settings['source'] !== 'vLlm';
    if (isVerified)
      report.problem(
        `the chat workspace \`${uid}\`: its apiKey, which the source does not tell: set it with PATCH ${path}`,
      );
  }
  report.count('chat workspaces', movedCount, workspaces?.length ?? 0);
}
