import { Button, Input, Select, Stack, Switch, TagsInput, Textarea } from '@mantine/core';
import { useState } from 'react';
import { ruleOfText, ruleText } from '../../api/rule-text.js';
import { CodeInput } from '../../parts/inputs/code-input.js';
import { NumberInput } from '../../parts/inputs/number-input.js';
import { switched, typed } from '../../parts/inputs/typed.js';
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
export function SettingInput(props: Props) {
  const { field, value, onChange } = props;
  switch (field.kind) {
    case 'switch':
      return <Switch label={field.label} {...switched(value === true, onChange)} />;
    case 'number':
      return <NumberInput {...textsOf(props)} value={numberIn(props.value)} onChange={props.onChange} maw={260} />;
    case 'choice':
      return <ChoiceInput {...props} />;
    case 'name':
      return <NameInput {...props} />;
    case 'ordered':
    case 'rules':
      return <OrderedNamesInput {...props} />;
    case 'text':
      return (
        <Textarea
          {...textsOf(props)}
          {...typed(typeof value === 'string' ? value : '', (value) => onChange(value))}
          autosize
          minRows={2}
          maxRows={10}
        />
      );
    case 'embedders':
      return <FormOrJson {...props} />;
    case 'json':
      return <JsonInput {...textsOf(props)} value={value} onChange={onChange} onUnreadable={props.onUnreadable} />;
    default:
      return <NamesInput {...props} />;
  }
}

/** The texts around an input. */
function textsOf({ field: { label, help }, fault }: Props) {
  return { label, description: help === '' ? undefined : help, error: fault };
}
/** The names to propose: attributes, if the setting is about them. */
function proposalsOf({ field, attributes }: Props): string[] {
  return field.ofAttributes === true ? [...attributes] : [];
}
function numberIn(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}
function namesIn(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}

/** One of the values that a setting may have. */
function ChoiceInput(props: Props) {
  const { field, value, onChange } = props;
  return (
    <Select
      {...textsOf(props)}
      data={(field.choices ?? []).map(([name, text]) => ({ value: name, label: text }))}
      value={String(value)}
      onChange={onChange}
      allowDeselect={false}
      maw={320}
    />
  );
}

/** One name, proposed or not. */
function NameInput(props: Props) {
  const { field, value, onChange } = props;
  const proposals = proposalsOf(props);
  return (
    <Select
      {...textsOf(props)}
      data={typeof value === 'string' && !proposals.includes(value) ? [value, ...proposals] : proposals}
      value={typeof value === 'string' ? value : null}
      onChange={onChange}
      placeholder="None"
      clearable={field.isOptional === true}
      searchable
      maw={320}
    />
  );
}

/** Attributes or ranking rules whose order matters. */
function OrderedNamesInput(props: Props) {
  const { field, value, onChange } = props;
  const isOfRules = field.kind === 'rules';
  return (
    <Input.Wrapper {...textsOf(props)} labelElement="div">
      <RuleList
        label={field.label}
        values={isOfRules && Array.isArray(value) ? value.map(ruleText) : namesIn(value)}
        proposals={isOfRules ? RANKING_RULES : ['*', ...proposalsOf(props)]}
        isFree={isOfRules}
        onChange={(next) => onChange(isOfRules ? next.map(ruleOfText) : withoutStar(next))}
      />
    </Input.Wrapper>
  );
}

/** Names without an order. */
function NamesInput(props: Props) {
  const { field, value, onChange, onUnreadable } = props;
  const names = namesIn(value);
  // rules by pattern are more than names: they are edited as JSON, so that nothing is lost
  return Array.isArray(value) && names.length < value.length ? (
    <JsonInput {...textsOf(props)} value={value} onChange={onChange} onUnreadable={onUnreadable} />
  ) : (
    <TagsInput
      {...textsOf(props)}
      data={proposalsOf(props)}
      value={names}
      onChange={(next) => onChange(field.ofAttributes === true ? withoutStar(next) : next)}
      splitChars={[',', '\n']}
      placeholder={names.length === 0 ? 'None' : undefined}
      clearable
    />
  );
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
  /** Called with whether the text is invalid JSON. */
  readonly onUnreadable: (isUnreadable: boolean) => void;
}

/** Edits a value as JSON. A text that is no JSON is reported and leaves the value as it was. */
function JsonInput({ label, description, error, value, onChange, onUnreadable }: JsonProps) {
  const [text, setText] = useState(() => (value === undefined ? '' : JSON.stringify(value, null, 2)));
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
    <CodeInput
      label={label}
      description={description}
      error={fault ?? error}
      {...typed(text, change)}
      minRows={3}
      maxRows={20}
    />
  );
}
