import { Progress, Text } from '@mantine/core';
import type { ReactNode } from 'react';

interface Props {
  /** A description of the bars for screen readers. */
  readonly label: string;
  readonly bars: readonly { readonly name: string; readonly value: number; readonly link?: ReactNode }[];
  readonly format: (value: number) => string;
  /** The value of a whole bar; the greatest one's when absent. */
  readonly whole?: number;
}

/** Horizontal bars with names and values, to compare a few of the same kind. */
export function Bars({ label, bars, format, whole = Math.max(1, ...bars.map(({ value }) => value)) }: Props) {
  if (bars.length === 0)
    return (
      <Text size="sm" c="dimmed">
        Nothing yet
      </Text>
    );
  return (
    <ul className="bars" aria-label={label}>
      {bars.map(({ name, value, link }) => (
        <li key={name}>
          <span className="bars-name">{link ?? name}</span>
          <span className="number">{format(value)}</span>
          <Progress value={(value / whole) * 100} aria-label={`${name}: ${format(value)}`} className="bars-bar" />
        </li>
      ))}
    </ul>
  );
}
