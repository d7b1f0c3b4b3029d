import { TextInput, type TextInputProps } from '@mantine/core';
import { useEffect, useState } from 'react';

interface Props extends Omit<TextInputProps, 'value' | 'onChange' | 'type'> {
  readonly value: number | null;
  /** Null for an empty input. */
  readonly onChange: (value: number | null) => void;
}

/** A number in the browser's own input: the component library's would be 9 kB of script. */
export function NumberInput({ value, onChange, ...rest }: Props) {
  const [text, setText] = useState(textOf(value));
  // the text stays while a number is typed that its user does not take yet, as the 0 of 0.5
  useEffect(() => setText((before) => (numberOf(before) === value ? before : textOf(value))), [value]);
  return (
    <TextInput
      {...rest}
      type="number"
      value={text}
      onChange={({ currentTarget }) => {
        setText(currentTarget.value);
        onChange(numberOf(currentTarget.value));
      }}
    />
  );
}

function textOf(value: number | null): string {
  return value === null ? '' : String(value);
}
function numberOf(text: string): number | null {
  return text === '' ? null : Number(text);
}
