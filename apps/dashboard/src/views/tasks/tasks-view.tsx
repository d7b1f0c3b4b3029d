import { Button, Group, MultiSelect, Progress, Stack, Tabs, Text } from '@mantine/core';
import { useState } from 'react';
import { call } from '../../api/client.js';
import { useIndexes, useOpenTaskCount, useWrite } from '../../api/queries.js';
import type { TaskReceipt } from '../../api/types.js';
import { ConfirmButton } from '../../parts/confirm-button.js';
import { formatName } from '../../parts/figures/numbers.js';
import { notify, notifyFault } from '../../parts/notify.js';
import { ViewHead } from '../../parts/view-head.js';
import { TaskDetails } from './task-details.js';
import { NO_FILTERS, TASK_STATUSES, TASK_TYPES, type TaskFilters } from './task-filters.js';
import { TaskList } from './task-list.js';
import './tasks.css';
import type { Batch } from '../../api/types.js';
import { Answered } from '../../parts/answered.js';
import { EmptyNote } from '../../parts/empty-note.js';
import { formatAgo, formatDuration } from '../../parts/figures/numbers.js';
import { StatusBadge } from './task-details.js';
import { UidPager, useUidPages } from './task-list.js';

/** The tasks and batches of the server. */
export function TasksView() {
  const [filters, setFilters] = useState(NO_FILTERS);
  const [tab, setTab] = useState<string | null>('tasks');
  const [opened, setOpened] = useState<number | undefined>();
  return (
    <>
      <ViewHead title="Tasks" lead="Every change is a task; neighbouring ones are done together, as a batch.">
        <CancelAll />
        <DeleteFinished />
      </ViewHead>
      <Filters filters={filters} onChange={setFilters} />
      <Tabs value={tab} onChange={setTab} keepMounted={false}>
        <Tabs.List mb="md">
          <Tabs.Tab value="tasks">Tasks</Tabs.Tab>
          <Tabs.Tab value="batches">Batches</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="tasks">
          <TaskList key={JSON.stringify(filters)} filters={filters} onOpen={setOpened} />
        </Tabs.Panel>
        <Tabs.Panel value="batches">
          <BatchList key={JSON.stringify(filters)} filters={filters} />
        </Tabs.Panel>
      </Tabs>
      <TaskDetails uid={opened} onClose={() => setOpened(undefined)} />
    </>
  );
}

interface FiltersProps {
  readonly filters: TaskFilters;
  readonly onChange: (filters: TaskFilters) => void;
}

function Filters({ filters, onChange }: FiltersProps) {
  const uids = useIndexes().data?.results.map(({ uid }) => uid) ?? [];
  const box = (name: keyof TaskFilters, label: string, data: readonly string[], isNamed = false) => (
    <MultiSelect
      aria-label={label}
      placeholder={filters[name].length === 0 ? label : undefined}
      data={data.map((value) => ({ value, label: isNamed ? formatName(value) : value }))}
      value={[...filters[name]]}
      onChange={(values) => onChange({ ...filters, [name]: values })}
      clearable
      className="task-filter"
    />
  );
  return (
    <Group mb="md" gap="sm" align="flex-start">
      {box('statuses', 'Status', TASK_STATUSES)}
      {box('types', 'Type', TASK_TYPES, true)}
      {box('indexUids', 'Index', uids)}
    </Group>
  );
}

function CancelAll() {
  const count = useOpenTaskCount().data ?? 0;
  const cancel = useWrite(
    () => call<TaskReceipt>('POST', '/tasks/cancel', { query: { statuses: 'enqueued,processing' } }),
    () => notify('What waited is canceled'),
  );
  if (count === 0) return null;
  return (
    <Button
      variant="light"
      color="red"
      loading={cancel.isPending}
      onClick={() => cancel.mutate(undefined, { onError: (error) => notifyFault(error) })}
    >
      Cancel {count === 1 ? 'the open task' : `all ${count} open tasks`}
    </Button>
  );
}

function DeleteFinished() {
  const remove = useWrite(
    () => call<TaskReceipt>('DELETE', '/tasks', { query: { statuses: 'succeeded,failed,canceled' } }),
    () => notify('Finished tasks are deleted'),
  );
  return (
    <ConfirmButton
      label="Delete finished"
      question="Delete all finished tasks?"
      variant="default"
      color="gray"
      loading={remove.isPending}
      onConfirm={() => remove.mutate(undefined, { onError: (error) => notifyFault(error) })}
    >
      What they did stays as it is. Only their record goes.
    </ConfirmButton>
  );
}

/** Batches, newest first; the running one with its current steps. */
function BatchList({ filters }: { readonly filters: TaskFilters }) {
  const pages = useUidPages<Batch>('/batches', filters, (batches) =>
    batches.some(({ finishedAt }) => finishedAt === null),
  );
  return (
    <Answered query={pages}>
      {({ results }) =>
        results.length === 0 ? (
          <EmptyNote icon="list-checks" title="No batch here" />
        ) : (
          <>
            <Stack gap="sm">
              {results.map((batch) => (
                <BatchCard key={batch.uid} batch={batch} />
              ))}
            </Stack>
            <UidPager {...pages} />
          </>
        )
      }
    </Answered>
  );
}

function BatchCard({ batch: { uid, stats, progress, duration, startedAt } }: { readonly batch: Batch }) {
  const kinds = Object.entries(stats.types).map(([type, count]) => `${formatName(type)} × ${count}`);
  const indexes = Object.keys(stats.indexUids).join(', ');
  return (
    <div className="panel batch">
      <Group justify="space-between" gap="xs">
        <Text fw={600}>
          Batch {uid}
          <Text span c="dimmed" fw={400} size="sm" ml="xs">
            {kinds.join(', ')}
            {indexes !== '' && ` in ${indexes}`}
          </Text>
        </Text>
        <Group gap={6}>
          {Object.entries(stats.status).map(
            ([status, count]) => count > 0 && <StatusBadge key={status} status={status} />,
          )}
        </Group>
      </Group>
      {progress === null ? (
        <Text size="sm" c="dimmed" className="number">
          {stats.totalNbTasks === 1 ? '1 task' : `${stats.totalNbTasks} tasks`}, {formatDuration(duration)},{' '}
          {formatAgo(startedAt)}
        </Text>
      ) : (
        <div aria-live="polite">
          <Progress value={progress.percentage} animated mt="xs" aria-label={`Batch ${uid}`} />
          <Text size="xs" c="dimmed" mt={4}>
            {progress.steps
              .map(({ currentStep, finished, total }) => `${currentStep} ${finished}/${total}`)
              .join(' › ')}
          </Text>
        </div>
      )}
    </div>
  );
}
