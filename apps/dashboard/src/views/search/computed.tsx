import { Progress, Stack, Table, Text, Title } from '@mantine/core';
import type { Aggregated, Computed } from '../../api/types.js';

const STATS = ['count', 'sum', 'avg', 'min', 'max'] as const;

/** What was computed from the numbers of the hits: a row for all and one for each value, and the histogram of all. */
export function ComputedNumbers({ aggregations }: { readonly aggregations: Readonly<Record<string, Aggregated>> }) {
  return Object.entries(aggregations).map(([name, { groups = [], ...whole }]) => (
    <section key={name} className="panel" aria-label={`Numbers of ${name}`}>
      <Title order={3} size="h5">
        {name}
      </Title>
      <Table verticalSpacing={4}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Of</Table.Th>
            {STATS.map((stat) => (
              <Table.Th key={stat}>{stat}</Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          <Numbers label="all hits" {...whole} />
          {groups.map(({ value, ...computed }) => (
            <Numbers key={`${typeof value} ${value}`} label={String(value)} {...computed} />
          ))}
        </Table.Tbody>
      </Table>
      {whole.histogram !== undefined && <Histogram buckets={whole.histogram} />}
    </section>
  ));
}

function Numbers({ label, stats }: Computed & { readonly label: string }) {
  return (
    <Table.Tr>
      <Table.Td>{label}</Table.Td>
      {STATS.map((stat) => (
        <Table.Td key={stat} className="number">
          {shownNumber(stats?.[stat])}
        </Table.Td>
      ))}
    </Table.Tr>
  );
}

const shownNumber = (value: number | null | undefined): string =>
  value === null || value === undefined ? '–' : value.toLocaleString('en', { maximumFractionDigits: 3 });

function Histogram({ buckets }: { readonly buckets: NonNullable<Computed['histogram']> }) {
  const most = Math.max(1, ...buckets.map(({ count }) => count));
  return (
    <Stack gap={4} mt="xs">
      {buckets.map(({ from, to, count }) => (
        <div key={from}>
          <Text size="xs" c="dimmed">
            {shownNumber(from)} to {shownNumber(to)}: {count}
          </Text>
          <Progress value={(100 * count) / most} aria-label={`${shownNumber(from)} to ${shownNumber(to)}`} />
        </div>
      ))}
    </Stack>
  );
}
