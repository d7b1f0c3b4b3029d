import { Button, Group, Table, Text } from '@mantine/core';
import { useState } from 'react';
import { useTaskErrors } from '../api/queries.js';
import { countOf } from './figures/numbers.js';
import { TableHead } from './table-head.js';

const PAGE_ROWS = 20;

/** The documents that a task left out, page by page. */
export function DocumentErrors({ uid }: { readonly uid: number }) {
  const [offset, setOffset] = useState(0);
  const { data } = useTaskErrors(uid, offset, PAGE_ROWS);
  if (data === undefined || data.total === 0) return null;
  return (
    <div>
      <Text size="sm" fw={600} mt="xs" mb={4}>
        {countOf(data.total, 'document')} left out
      </Text>
      <Table aria-label="Documents left out">
        <TableHead names={['Line', 'Id', 'Reason']} />
        <Table.Tbody>
          {data.results.map(({ id, line, code, reason }, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: neither id nor line is always known; a page never changes
            <Table.Tr key={at}>
              <Table.Td>{line ?? '–'}</Table.Td>
              <Table.Td>{id ?? '–'}</Table.Td>
              <Table.Td title={code}>{reason}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      {data.total > PAGE_ROWS && (
        <Group justify="space-between" mt="xs">
          <Button
            size="compact-sm"
            variant="light"
            disabled={offset === 0}
            onClick={() => setOffset(offset - PAGE_ROWS)}
          >
            Earlier
          </Button>
          <Button
            size="compact-sm"
            variant="light"
            disabled={offset + PAGE_ROWS >= data.total}
            onClick={() => setOffset(offset + PAGE_ROWS)}
          >
            Later
          </Button>
        </Group>
      )}
    </div>
  );
}
