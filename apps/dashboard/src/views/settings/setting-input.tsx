import { Button, Input, Select, Stack, Switch, TagsInput, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { EmbedderForm } from './embedder-form.js';
import { RuleList } from './rule-list.js';
import { RANKING_RULES, type SettingField } from './setting-list.js';

interface Props {
  readonly field: SettingField;
  readonly value: unknown;
  readonly fault: string | null;
  readonly attributes: readonly string[];
  readonly onChange: (value: unknown) => void;
  /** Called with whether a text is invalid JSON. */
  readonly onUnreadable: (isUnreadable: boolean) => void;
}

/** The input of a setting, by its kind. */
export function SettingInput({ field, value, fault, attributes, onChange, onUnreadable }: Props) {
  const { label, help, kind, choices = [], isOptional, ofAttributes } = field;
  const texts = Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
  const proposals = ofAttributes === true ? [...attributes] : [];
  const shared = { label, description: help === '' ? undefined : help, error: fault };
  switch (kind) {
    case 'switch':
      return (
        <Switch label={label} checked={value === true} onChange={(event) => onChange(event.currentTarget.checked)} />
      );
    case 'number':
      return (
        <TextInput
          {...shared}
          type="number"
          value={value === null || value === undefined ? '' : String(value)}
          onChange={({ currentTarget: { value: text } }) => onChange(text === '' ? null : Number(text))}
          maw={260}
        />
      );
    case 'choice':
      return (
        <Select
          {...shared}
          data={choices.map(([name, text]) => ({ value: name, label: text }))}
          value={String(value)}
          onChange={onChange}
          allowDeselect={false}
          maw={320}
        />
      );
    case 'name':
      return (
        <Select
          {...shared}
          data={typeof value === 'string' && !proposals.includes(value) ? [value, ...proposals] : proposals}
          value={typeof value === 'string' ? value : null}
          onChange={onChange}
          placeholder="None"
          clearable={isOptional === true}
          searchable
          maw={320}
        />
      );
    case 'ordered':
    case 'rules':
      return (
        <Input.Wrapper {...shared} labelElement="div">
          <RuleList
            label={label}
            values={texts}
            proposals={kind === 'rules' ? RANKING_RULES : ['*', ...proposals]}
            isFree={kind === 'rules'}
            onChange={(next) => onChange(kind === 'ordered' ? withoutStar(next) : next)}
          />
        </Input.Wrapper>
      );
    case 'text':
      return (
        <Textarea
          {...shared}
          value={typeof value === 'string' ? value : ''}
          onChange={(event) => onChange(event.currentTarget.value)}
          autosize
          minRows={2}
          maxRows={10}
        />
      );
    case 'embedders':
      return <FormOrJson {...{ field, value, fault, onChange, onUnreadable }} />;
    case 'json':
      return <JsonInput {...shared} value={value} onChange={onChange} onUnreadable={onUnreadable} />;
    default:
      // rules by pattern are more than names: they are edited as JSON, so that nothing is lost
      return Array.isArray(value) && texts.length < value.length ? (
        <JsonInput {...shared} value={value} onChange={onChange} onUnreadable={onUnreadable} />
      ) : (
        <TagsInput
          {...shared}
          data={proposals}
          value={texts}
          onChange={(next) => onChange(ofAttributes === true ? withoutStar(next) : next)}
          splitChars={[',', '\n']}
          placeholder={texts.length === 0 ? 'None' : undefined}
          clearable
        />
      );
  }
}

/** A star means everything, so other names next to it would have no effect. */
function withoutStar(names: readonly string[]): string[] {
  if (names.at(-1) === '*') return ['*'];
  return names.length > 1 ? names.filter((name) => name !== '*') : [...names];
}

/** A form, or the whole value as JSON for what the form has no input for; an invalid text is discarded with its input. */
function FormOrJson({ field: { label, help }, value, fault, onChange, onUnreadable }: Omit<Props, 'attributes'>) {
  const [isJson, setJson] = useState(false);
  const change = (): void => {
    onUnreadable(false);
    setJson(!isJson);
  };
  return (
    <Stack>
      <Button variant="subtle" size="compact-sm" ml="auto" onClick={change}>
        {isJson ? 'Edit in a form' : 'Edit as JSON'}
      </Button>
      {isJson && <JsonInput label={label} description={help} error={fault} {...{ value, onChange, onUnreadable }} />}
      {!isJson && <EmbedderForm value={value} onChange={onChange} />}
      {!isJson && fault !== null && <Input.Error>{fault}</Input.Error>}
    </Stack>
  );
}

interface JsonProps {
  readonly label: string;
  readonly description: string | undefined;
  readonly error: string | null;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
  readonly onUnreadable: (isUnreadable: boolean) => void;
}
function JsonInput({ label, description, error, value, onChange, onUnreadable }: JsonProps) {
  const [text, setText] = useState(() => JSON.stringify(value, null, 2));
  const [fault, setFault] = useState<string | null>(null);
  const change = (next: string): void => {
    setText(next);
    try {
      onChange(JSON.parse(next));
      setFault(null);
      onUnreadable(false);
    } catch (problem) {
      setFault(problem instanceof Error ? problem.message : String(problem));
      onUnreadable(true);
    }
  };
  return (
    <Textarea
      label={label}
      description={description}
      error={fault ?? error}
      value={text}
      onChange={(event) => change(event.currentTarget.value)}
      autosize
      minRows={3}
      maxRows={20}
      spellCheck={false}
      classNames={{ input: 'code-input' }}
    />
  );
}
