import { Text } from '@mantine/core';

/** One number with its name. */
export function Figure({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <div className="panel figure">
      <Text size="sm" c="dimmed">
        {name}
      </Text>
      <span className="number figure-value">{value}</span>
    </div>
  );
}
