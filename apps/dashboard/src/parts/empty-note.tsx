import { Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { Icon } from './icon.js';
import type { IconName } from './icon-names.js';

interface Props {
  readonly icon: IconName;
  readonly title: string;
  readonly children?: ReactNode;
}

/** Explains an empty view and what to do about it. */
export function EmptyNote({ icon, title, children }: Props) {
  return (
    <Stack align="center" gap="xs" py={48} px="md" ta="center" className="empty">
      <div className="empty-mark">
        <Icon name={icon} size={26} />
      </div>
      <Title order={2}>{title}</Title>
      <Text c="dimmed" maw={460} component="div">
        {children}
      </Text>
    </Stack>
  );
}
