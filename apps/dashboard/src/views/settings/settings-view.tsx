import { Anchor, Button, Group, Stack, Text, Title } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { ApiFault, call } from '../../api/client.js';
import { settingsPath, useFreshSettings, useIndexStats, useWrite } from '../../api/queries.js';
import type { Settings, TaskReceipt } from '../../api/types.js';
import { Answered } from '../../parts/answered.js';
import { ConfirmButton } from '../../parts/confirm-button.js';
import { useIndexUid } from '../../parts/current-index.js';
import { notify, notifyFault } from '../../parts/notify.js';
import { SettingsFault, useSettingsWrite } from '../../parts/settings-write.js';
import { useUnsaved } from '../../parts/unsaved.js';
import { ViewHead } from '../../parts/view-head.js';
import { changesOf, valueAt, withValue } from './draft.js';
import { SETTING_GROUPS, type SettingField, type SettingGroup } from './setting-list.js';
import './settings.css';
import { useState } from 'react';
import { faultOf, faultOfGroup } from './checks.js';
import { SettingInput } from './setting-input.js';

/** The settings of an index, edited together and checked before they are sent. */
export function SettingsView() {
  const uid = useIndexUid();
  const settings = useFreshSettings(uid);
  const stats = useIndexStats(uid);
  const [drafts, setDrafts] = useState(0);
  // names that come later would move the inputs away from someone who types; a key may have no right to them
  const data = stats.isPending ? undefined : settings.data;
  // after saving, the draft starts from the saved settings
  return (
    <Answered query={{ ...settings, data }}>
      {(saved) => <Editor key={drafts} uid={uid} saved={saved} onAnew={() => setDrafts(drafts + 1)} />}
    </Answered>
  );
}

interface EditorProps {
  readonly uid: string;
  readonly saved: Settings;
  /** Begins a new draft. */
  readonly onAnew: () => void;
}

function Editor({ uid, saved: latest, onAnew }: EditorProps) {
  // the draft is compared with the settings at its start, so that it does not undo changes by others
  const [saved] = useState(latest);
  const [draft, setDraft] = useState(saved);
  const [unreadable, setUnreadable] = useState<readonly string[]>([]);
  const attributes = Object.keys(useIndexStats(uid).data?.fieldDistribution ?? {});
  const queries = useQueryClient();
  const done = async (message: string): Promise<void> => {
    await queries.refetchQueries({ queryKey: ['settings', uid] });
    notify(message);
    onAnew();
  };
  const changes = changesOf(saved, draft);
  const save = useSettingsWrite({ uid, saved, changes, message: 'The settings are in use', onAnew });
  const isChanged = Object.keys(changes).length > 0 || unreadable.length > 0;
  useUnsaved(isChanged && !save.isPending && !save.isSuccess);
  const groups = SETTING_GROUPS.filter((group) => group.fields.some((field) => isThere(field, saved)));
  const isWrong = unreadable.length > 0 || groups.some((group) => faultOfGroup(group, draft) !== null);
  return (
    <>
      <ViewHead title="Settings" lead={`How documents of ${uid} are searched, ranked, filtered and shown`}>
        <ResetAll uid={uid} onDone={() => done('All settings are as in a new index')} />
      </ViewHead>
      <div className="settings">
        <GroupLinks groups={groups} />
        <Stack gap="lg" miw={0}>
          <SettingsFault save={save} title={titleOf(save.error)} onAnew={onAnew} />
          {groups.map((group) => (
            <SettingSection
              key={group.id}
              {...{ group, draft, attributes }}
              onChange={(path, value) => setDraft((before) => withValue(before, path, value))}
              onUnreadable={(name, isUnreadable) => setUnreadable((before) => withName(before, name, isUnreadable))}
            />
          ))}
        </Stack>
      </div>
      {isChanged && (
        <section className="save-bar" aria-label="Changes">
          <Text size="sm">{namesOf(Object.keys(changes))}</Text>
          <Group gap="xs" wrap="nowrap">
            <Button variant="default" onClick={onAnew}>
              Discard
            </Button>
            <Button onClick={() => save.mutate(false)} loading={save.isPending} disabled={isWrong}>
              Save
            </Button>
          </Group>
        </section>
      )}
    </>
  );
}

function ResetAll({ uid, onDone }: { readonly uid: string; readonly onDone: () => void }) {
  const reset = useWrite(() => call<TaskReceipt>('DELETE', settingsPath(uid)), onDone);
  return (
    <ConfirmButton
      label="Reset all"
      question={`Reset all settings of ${uid}?`}
      variant="default"
      color="gray"
      loading={reset.isPending}
      onConfirm={() => reset.mutate(undefined, { onError: (fault) => notifyFault(fault) })}
    >
      Every setting, synonyms, stop words and embedders too, becomes that of a new index.
    </ConfirmButton>
  );
}

function GroupLinks({ groups }: { readonly groups: typeof SETTING_GROUPS }) {
  return (
    <nav aria-label="Groups of settings" className="settings-groups">
      {groups.map(({ id, title }) => (
        <Anchor key={id} component="button" type="button" size="sm" onClick={() => jumpTo(id)}>
          {title}
        </Anchor>
      ))}
    </nav>
  );
}

/** Names the setting that is refused. */
function titleOf(fault: Error | null): string {
  const code = fault instanceof ApiFault ? fault.code : '';
  const field = SETTING_GROUPS.flatMap((group) => group.fields).find(({ path: [name] }) =>
    code.endsWith(snakeCase(name)),
  );
  return field === undefined ? 'Not saved' : `Not saved: ${field.label}`;
}
function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** Settings of disabled features are absent. */
function isThere({ path: [name] }: SettingField, settings: Settings): boolean {
  return Object.hasOwn(settings, name);
}
function withName(names: readonly string[], name: string, isIn: boolean): readonly string[] {
  const others = names.filter((each) => each !== name);
  return isIn ? [...others, name] : others;
}
function namesOf(changed: readonly string[]): string {
  if (changed.length === 0) return 'Not readable yet';
  return changed.length === 1 ? `Changed: ${changed[0]}` : `${changed.length} settings changed`;
}
function jumpTo(id: string): void {
  const calm = window.matchMedia('(prefers-reduced-motion: reduce)').matches;
  document.getElementById(`settings-${id}`)?.scrollIntoView({ behavior: calm ? 'auto' : 'smooth' });
}

interface Props {
  readonly group: SettingGroup;
  readonly draft: Settings;
  /** Suggested names of attributes. */
  readonly attributes: readonly string[];
  readonly onChange: (path: readonly string[], value: unknown) => void;
  /** Called with whether the text of a field is invalid JSON. */
  readonly onUnreadable: (name: string, isUnreadable: boolean) => void;
}

/** A group of settings; a group that is a single object may be edited as JSON, for what the form has no input for. */
function SettingSection({ group, draft, attributes, onChange, onUnreadable }: Props) {
  const { id, title, object } = group;
  const [isJson, setJson] = useState(false);
  const change = (): void => {
    // an invalid text is discarded with its input
    for (const { path } of fieldsOf(group, isJson)) onUnreadable(path.join('.'), false);
    setJson(!isJson);
  };
  return (
    <section id={`settings-${id}`} className="panel pad" aria-labelledby={`title-${id}`}>
      <Group justify="space-between" mb="md">
        <Title order={2} id={`title-${id}`}>
          {title}
        </Title>
        {object !== undefined && (
          <Button variant="subtle" size="compact-sm" onClick={change}>
            {isJson ? 'Edit in a form' : 'Edit as JSON'}
          </Button>
        )}
      </Group>
      <Stack gap="lg">
        {fieldsOf(group, isJson).map((field) => (
          <SettingInput
            key={field.path.join('.')}
            field={field}
            value={valueAt(draft, field.path)}
            fault={isJson ? faultOfGroup(group, draft) : faultOf(field, draft)}
            attributes={attributes}
            onChange={(value) => onChange(field.path, value)}
            onUnreadable={(isUnreadable) => onUnreadable(field.path.join('.'), isUnreadable)}
          />
        ))}
      </Stack>
    </section>
  );
}

function fieldsOf({ title, object, fields }: SettingGroup, isJson: boolean): readonly SettingField[] {
  return isJson && object !== undefined ? [{ path: [object], label: title, help: '', kind: 'json' }] : fields;
}
