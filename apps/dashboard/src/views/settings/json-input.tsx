import { useState } from 'react';
import { CodeInput } from '../../parts/inputs/code-input.js';

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
export function JsonInput({ label, description, error, value, onChange, onUnreadable }: JsonProps) {
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
      value={text}
      onChange={(event) => change(event.currentTarget.value)}
      minRows={3}
      maxRows={20}
    />
  );
}
