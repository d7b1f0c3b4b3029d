import { Group, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';

interface Props {
  readonly title: string;
  /** One sentence on the purpose of the view. */
  readonly lead?: ReactNode;
  /** Buttons at the end of the line. */
  readonly children?: ReactNode;
}

/** The heading of a view. */
export function ViewHead({ title, lead, children }: Props) {
  return (
    <Group justify="space-between" align="flex-start" mb="lg" gap="md">
      <div>
        <Title order={1}>{title}</Title>
        {lead !== undefined && (
          <Text c="dimmed" size="sm" mt={2} component="div">
            {lead}
          </Text>
        )}
      </div>
      {children !== undefined && <Group gap="xs">{children}</Group>}
    </Group>
  );
}
