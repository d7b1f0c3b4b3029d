import type { ReactNode } from 'react';
import { FaultNote } from './fault-note.js';

interface Props<T> {
  readonly query: {
    readonly data: T | undefined;
    readonly error: Error | null;
    refetch(): unknown;
  };
  /** Shown until there is an answer. */
  readonly waiting?: ReactNode;
  readonly children: (data: T) => ReactNode;
}

/**
 * What is made of an answer. A fault takes its place only while there is none: later ones are told above it, so that an upload
 * or a draft below stays.
 */
export function Answered<T>({ query: { data, error, refetch }, waiting, children }: Props<T>) {
  return (
    <>
      {error !== null && <FaultNote fault={error} onRetry={refetch} />}
      {data === undefined ? error === null && waiting : children(data)}
    </>
  );
}
