import { ActionIcon, Button, Group, Select, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { Icon } from '../../parts/icon.js';
import { typed } from '../../parts/inputs/typed.js';

interface Props {
  readonly label: string;
  readonly values: readonly string[];
  /** Suggestions for new items. */
  readonly proposals: readonly string[];
  /** Whether any item may be added, suggested or not. */
  readonly isFree: boolean;
  readonly onChange: (values: string[]) => void;
}

/** An ordered list, changed by dragging or by buttons for the keyboard. */
export function RuleList({ label, values, proposals, isFree, onChange }: Props) {
  const [dragged, setDragged] = useState<number | null>(null);
  const move = (from: number, to: number): void => {
    const next = [...values];
    next.splice(to, 0, ...next.splice(from, 1));
    onChange(next);
  };
  const dragOver = (at: number): void => {
    if (dragged === null || dragged === at) return;
    move(dragged, at);
    setDragged(at);
  };
  return (
    <div className="rule-list">
      <ol className="rules" aria-label={label}>
        {values.map((value, at) => (
          <li
            key={value}
            draggable
            data-dragged={dragged === at || undefined}
            onDragStart={() => setDragged(at)}
            onDragEnd={() => setDragged(null)}
            onDragOver={(event) => {
              event.preventDefault();
              dragOver(at);
            }}
          >
            <Text size="sm" className="rules-name">
              {value}
            </Text>
            <Move name={value} icon="arrow-up" where="up" isOff={at === 0} onClick={() => move(at, at - 1)} />
            <Move
              name={value}
              icon="arrow-down"
              where="down"
              isOff={at === values.length - 1}
              onClick={() => move(at, at + 1)}
            />
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={`Remove ${value}`}
              onClick={() => onChange(values.filter((each) => each !== value))}
            >
              <Icon name="x" size={15} />
            </ActionIcon>
          </li>
        ))}
      </ol>
      <Adder
        label={label}
        isFree={isFree}
        proposals={proposals.filter((name) => !values.includes(name))}
        onAdd={(name) => !values.includes(name) && onChange([...values, name])}
      />
    </div>
  );
}

interface MoveProps {
  readonly name: string;
  readonly icon: 'arrow-up' | 'arrow-down';
  readonly where: string;
  readonly isOff: boolean;
  readonly onClick: () => void;
}
function Move({ name, icon, where, isOff, onClick }: MoveProps) {
  return (
    <ActionIcon variant="subtle" color="gray" disabled={isOff} aria-label={`Move ${name} ${where}`} onClick={onClick}>
      <Icon name={icon} size={15} />
    </ActionIcon>
  );
}

interface AdderProps {
  readonly label: string;
  readonly proposals: readonly string[];
  readonly isFree: boolean;
  readonly onAdd: (name: string) => void;
}
function Adder({ label, proposals, isFree, onAdd }: AdderProps) {
  const [text, setText] = useState('');
  const add = (): void => {
    if (text.trim() !== '') onAdd(text.trim());
    setText('');
  };
  return (
    <Group gap="xs" mt="xs" align="flex-end">
      {proposals.length > 0 && (
        <Select
          size="xs"
          aria-label={`Add to ${label}`}
          placeholder="Add …"
          data={[...proposals]}
          value={null}
          onChange={(name) => name !== null && onAdd(name)}
          searchable={proposals.length > 8}
          w={180}
        />
      )}
      {isFree && (
        <>
          <TextInput
            size="xs"
            aria-label={`Another one for ${label}`}
            placeholder="Or write one, such as year:desc or score(log(1 + popularity)) in 8 buckets"
            {...typed(text, setText)}
            onKeyDown={(event) => event.key === 'Enter' && add()}
            w={220}
          />
          <Button size="xs" variant="default" onClick={add} disabled={text.trim() === ''}>
            Add
          </Button>
        </>
      )}
    </Group>
  );
}
