import { Alert, Anchor, Badge, Button, Code, Drawer, Group, Stack, Table, Text } from '@mantine/core';
import { call } from '../../api/client.js';
import { isFinished, useTask, useWrite } from '../../api/queries.js';
import type { Task, TaskReceipt } from '../../api/types.js';
import { DocumentErrors } from '../../parts/document-errors.js';
import { formatDate, formatDuration, formatName } from '../../parts/figures/numbers.js';
import { notify, notifyFault } from '../../parts/notify.js';
import { STATUS_COLORS } from './task-filters.js';

/** One task with all its details, updated while it runs. */
export function TaskDetails({ uid, onClose }: { readonly uid: number | undefined; readonly onClose: () => void }) {
  const { data: task } = useTask(uid);
  return (
    <Drawer opened={uid !== undefined} onClose={onClose} position="right" size="lg" title={`Task ${uid ?? ''}`}>
      {task !== undefined && <Details task={task} />}
    </Drawer>
  );
}

function Details({ task }: { readonly task: Task }) {
  const rows: readonly (readonly [string, React.ReactNode])[] = [
    ['Index', task.indexUid ?? 'the whole server'],
    ['Batch', task.batchUid ?? '–'],
    ['Enqueued', formatDate(task.enqueuedAt)],
    ['Started', formatDate(task.startedAt)],
    ['Finished', formatDate(task.finishedAt)],
    ['Took', formatDuration(task.duration)],
  ];
  return (
    <Stack>
      <Group justify="space-between">
        <Text fw={600}>{formatName(task.type)}</Text>
        <StatusBadge status={task.status} />
      </Group>
      {task.error !== null && (
        <Alert color="red" title={task.error.code} role="alert">
          <Text size="sm">{task.error.message}</Text>
          <Anchor href={task.error.link} target="_blank" rel="noreferrer" size="sm">
            What this means
          </Anchor>
        </Alert>
      )}
      <Table>
        <Table.Tbody>
          {rows.map(([name, value]) => (
            <Table.Tr key={name}>
              <Table.Th scope="row">{name}</Table.Th>
              <Table.Td>{value}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      {Number(task.details?.['failedDocuments'] ?? 0) > 0 && <DocumentErrors uid={task.uid} />}
      {task.details != null && (
        <div>
          <Text size="sm" fw={600} mb={4}>
            Details
          </Text>
          <Code block tabIndex={0}>
            {JSON.stringify({ ...task.details, documentErrors: undefined }, null, 2)}
          </Code>
        </div>
      )}
      {!isFinished(task) && <CancelButton uid={task.uid} />}
    </Stack>
  );
}

export function StatusBadge({ status }: { readonly status: string }) {
  return (
    <Badge variant="light" color={STATUS_COLORS[status] ?? 'gray'} tt="none">
      {status}
    </Badge>
  );
}

export function CancelButton({ uid, isCompact = false }: { readonly uid: number; readonly isCompact?: boolean }) {
  const cancel = useWrite(
    () => call<TaskReceipt>('POST', '/tasks/cancel', { query: { uids: uid } }),
    () => notify(`Task ${uid} is canceled`),
  );
  return (
    <Button
      variant="light"
      color="red"
      size={isCompact ? 'compact-xs' : 'sm'}
      loading={cancel.isPending}
      onClick={() => cancel.mutate(undefined, { onError: (error) => notifyFault(error) })}
    >
      Cancel
    </Button>
  );
}
