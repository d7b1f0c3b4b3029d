import { useQueryClient } from '@tanstack/react-query';
import { call } from '../api/client.js';
import { settingsPath, useWrite } from '../api/queries.js';
import type { Settings, TaskReceipt } from '../api/types.js';
import { ChangedMeanwhile, ChangedNote } from './changed-meanwhile.js';
import { FaultNote } from './fault-note.js';
import { notify } from './notify.js';

interface Write {
  readonly uid: string;
  /** The settings with which the draft began, those that it changes at least. */
  readonly saved: Settings;
  /** In the form of a request. */
  readonly changes: Settings;
  /** What the user reads once it is done. */
  readonly message: string;
  /** The draft begins anew, with what is there now. */
  readonly onAnew: () => void;
}

/** Saves changed settings of an index. What others have made of them meanwhile is overwritten only where `isForced`. */
export function useSettingsWrite({ uid, saved, changes, message, onAnew }: Write) {
  const queries = useQueryClient();
  return useWrite<boolean>(
    async (isForced) => {
      const names = isForced ? [] : await changedNames(uid, saved, Object.keys(changes));
      if (names.length > 0) throw new ChangedMeanwhile(`others have changed: ${names.join(', ')}`);
      return call<TaskReceipt>('PATCH', settingsPath(uid), { body: changes });
    },
    async () => {
      await queries.refetchQueries({ queryKey: ['settings', uid] });
      notify(message);
      onAnew();
    },
  );
}

async function changedNames(uid: string, saved: Settings, names: readonly string[]): Promise<readonly string[]> {
  const now = await call<Settings>('GET', settingsPath(uid));
  return names.filter((name) => JSON.stringify(now[name]) !== JSON.stringify(saved[name]));
}

interface FaultProps {
  readonly save: ReturnType<typeof useSettingsWrite>;
  readonly title?: string | undefined;
  readonly onAnew: () => void;
}

/** Why settings are not saved; where others have changed them, the choice between theirs and one's own. */
export function SettingsFault({ save, title, onAnew }: FaultProps) {
  const { error } = save;
  if (error === null) return null;
  if (!(error instanceof ChangedMeanwhile)) return <FaultNote fault={error} {...(title !== undefined && { title })} />;
  return <ChangedNote fault={error} onAnew={onAnew} onForced={() => save.mutate(true)} />;
}
