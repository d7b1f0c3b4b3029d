import { Group, Progress, Stack, Text } from '@mantine/core';
import type { Batch } from '../../api/types.js';
import { Answered } from '../../parts/answered.js';
import { EmptyNote } from '../../parts/empty-note.js';
import { formatAgo, formatDuration, formatName } from '../../parts/figures/numbers.js';
import { StatusBadge } from './task-details.js';
import type { TaskFilters } from './task-filters.js';
import { UidPager, useUidPages } from './task-list.js';

/** Batches, newest first; the running one with its current steps. */
export function BatchList({ filters }: { readonly filters: TaskFilters }) {
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
