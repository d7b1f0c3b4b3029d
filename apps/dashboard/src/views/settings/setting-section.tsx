import { Button, Group, Stack, Title } from '@mantine/core';
import { useState } from 'react';
import type { Settings } from '../../api/types.js';
import { faultOf, faultOfGroup } from './checks.js';
import { valueAt } from './draft.js';
import { SettingInput } from './setting-input.js';
import type { SettingField, SettingGroup } from './setting-list.js';

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
export function SettingSection({ group, draft, attributes, onChange, onUnreadable }: Props) {
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
