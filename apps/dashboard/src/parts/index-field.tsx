import { TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useLocation } from 'wouter';
import { indexPath } from './current-index.js';
import { Icon } from './icon.js';
import { faultOfUid } from './index-dialogs.js';
import { typed } from './inputs/typed.js';

/** Where an index is named whose list the key may not see. */
export function IndexField({ uid, view = 'search' }: { readonly uid: string | undefined; readonly view?: string }) {
  const [name, setName] = useState(uid ?? '');
  const [, navigate] = useLocation();
  const fault = faultOfUid(name);
  const open = (event: FormEvent): void => {
    event.preventDefault();
    if (name !== '' && fault === null) navigate(indexPath(name, view));
  };
  return (
    <form onSubmit={open}>
      <TextInput
        aria-label="Index"
        placeholder="Name of an index"
        {...typed(name, setName)}
        error={fault !== null}
        leftSection={<Icon name="database" size={16} />}
        className="index-picker"
        spellCheck={false}
        enterKeyHint="go"
      />
    </form>
  );
}
