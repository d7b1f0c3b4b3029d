import { Title } from '@mantine/core';
import type { ReactNode } from 'react';

interface Props {
  readonly title: ReactNode;
  /** The name of the section, where it is a landmark. */
  readonly label?: string;
  /** Below the title. */
  readonly gap?: 'xs' | 'sm' | 'md';
  /** Classes besides those of every panel. */
  readonly className?: string;
  readonly children: ReactNode;
}

/** A part of a view with a heading of its own. */
export function Panel({ title, label, gap = 'md', className, children }: Props) {
  return (
    <section className={className === undefined ? 'panel pad' : `panel pad ${className}`} aria-label={label}>
      <Title order={2} mb={gap}>
        {title}
      </Title>
      {children}
    </section>
  );
}
