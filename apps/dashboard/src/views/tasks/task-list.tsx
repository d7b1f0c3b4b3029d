import { Button, Group, Table, Text } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../api/client.js';
import { BUSY_POLL_MS, CALM_POLL_MS, isFinished } from '../../api/queries.js';
import type { Task, UidPage } from '../../api/types.js';
import { Answered } from '../../parts/answered.js';
import { EmptyNote } from '../../parts/empty-note.js';
import {
  countOf,
  formatAgo,
  formatCount,
  formatDate,
  formatDuration,
  formatName,
} from '../../parts/figures/numbers.js';
import { CancelButton, StatusBadge } from './task-details.js';
import { queryOfFilters, type TaskFilters } from './task-filters.js';

const PAGE_SIZE = 25;

interface Props {
  readonly filters: TaskFilters;
  readonly onOpen: (uid: number) => void;
}

/** Tasks, newest first, updated automatically. */
export function TaskList({ filters, onOpen }: Props) {
  const pages = useUidPages<Task>('/tasks', filters, (tasks) => tasks.some((task) => !isFinished(task)));
  return (
    <Answered query={pages}>
      {({ results }) =>
        results.length === 0 ? (
          <EmptyNote icon="list-checks" title="No task here" />
        ) : (
          <>
            <TaskTable tasks={results} onOpen={onOpen} />
            <UidPager {...pages} />
          </>
        )
      }
    </Answered>
  );
}

function TaskTable({ tasks, onOpen }: { readonly tasks: readonly Task[]; readonly onOpen: Props['onOpen'] }) {
  return (
    <Table.ScrollContainer minWidth={420} className="panel">
      <Table verticalSpacing="xs" horizontalSpacing="md" highlightOnHover className="task-table">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Task</Table.Th>
            <Table.Th>Status</Table.Th>
            <Table.Th>What</Table.Th>
            <Table.Th>Index</Table.Th>
            <Table.Th visibleFrom="sm">Took</Table.Th>
            <Table.Th visibleFrom="sm">Enqueued</Table.Th>
            <Table.Th aria-label="Actions" />
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {tasks.map((task) => (
            <Table.Tr key={task.uid}>
              <Table.Td>
                <button
                  type="button"
                  className="link number"
                  onClick={() => onOpen(task.uid)}
                  aria-label={`Task ${task.uid}`}
                >
                  {task.uid}
                </button>
              </Table.Td>
              <Table.Td>
                <StatusBadge status={task.status} />
              </Table.Td>
              <Table.Td className="task-what">
                {formatName(task.type)}
                <Outcome task={task} />
              </Table.Td>
              <Table.Td>{task.indexUid ?? '–'}</Table.Td>
              <Table.Td className="number" visibleFrom="sm">
                {formatDuration(task.duration)}
              </Table.Td>
              <Table.Td title={formatDate(task.enqueuedAt)} visibleFrom="sm">
                {formatAgo(task.enqueuedAt)}
              </Table.Td>
              <Table.Td>{!isFinished(task) && <CancelButton uid={task.uid} isCompact />}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

function Outcome({ task: { details, error } }: { readonly task: Task }) {
  const indexed = details?.['indexedDocuments'] ?? details?.['deletedDocuments'];
  const says = error?.message ?? (typeof indexed === 'number' ? countOf(indexed, 'document') : undefined);
  if (says === undefined) return null;
  return (
    <Text size="xs" c={error === null ? 'dimmed' : 'red'} lineClamp={2}>
      {says}
    </Text>
  );
}

/** A list that is continued from a uid: its pages so far, and the previous ones. */
export function useUidPages<T>(path: string, filters: TaskFilters, isBusy: (results: readonly T[]) => boolean) {
  const [starts, setStarts] = useState<readonly (number | undefined)[]>([undefined]);
  const from = starts.at(-1);
  const { data, error, refetch } = useQuery({
    queryKey: ['tasks', path, filters, from],
    queryFn: ({ signal }) =>
      call<UidPage<T>>('GET', path, { query: { ...queryOfFilters(filters), limit: PAGE_SIZE, from }, signal }),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (isBusy(state.data?.results ?? []) ? BUSY_POLL_MS : CALM_POLL_MS),
  });
  const next = data?.next ?? null;
  return {
    ...{ data, error, refetch },
    older: next === null ? null : () => setStarts([...starts, next]),
    newer: starts.length === 1 ? null : () => setStarts(starts.slice(0, -1)),
  };
}

interface PagerProps {
  readonly data: { readonly total: number } | undefined;
  readonly older: (() => void) | null;
  readonly newer: (() => void) | null;
}
export function UidPager({ data, older, newer }: PagerProps) {
  return (
    <Group justify="space-between" mt="md">
      <Text size="sm" c="dimmed" className="number">
        {formatCount(data?.total ?? 0)} in all
      </Text>
      <Group gap="xs">
        <Button variant="default" size="xs" disabled={newer === null} onClick={newer ?? undefined}>
          Newer
        </Button>
        <Button variant="default" size="xs" disabled={older === null} onClick={older ?? undefined}>
          Older
        </Button>
      </Group>
    </Group>
  );
}
