import { Code, Group, Select, SimpleGrid, Table, Text } from '@mantine/core';
import { useMemo, useState } from 'react';
import { type QueryRates, type SearchRates, type SearchReport, useSearchReport } from '../../api/analytics.js';
import { EmptyNote } from '../../parts/empty-note.js';
import { FaultNote } from '../../parts/fault-note.js';
import { Bars } from '../../parts/figures/bars.js';
import { Curve } from '../../parts/figures/curve.js';
import { Figure } from '../../parts/figures/figure.js';
import { formatCount, formatMs } from '../../parts/figures/numbers.js';
import { Panel } from '../../parts/panel.js';
import { TableHead } from '../../parts/table-head.js';
import { ViewHead } from '../../parts/view-head.js';

const RANGES = [
  { value: '24', label: 'Last 24 hours' },
  { value: '168', label: 'Last 7 days' },
  { value: '720', label: 'Last 30 days' },
];

/** What the server has counted of all clients' searches. */
export function ServerReport() {
  const [hours, setHours] = useState('24');
  const [index, setIndex] = useState<string | null>(null);
  const { data, error } = useSearchReport(Number(hours), index);
  const all = useSearchReport(Number(hours), null).data;
  const uids = all?.indexes.map((each) => each.index).filter((uid) => uid !== '') ?? [];
  return (
    <>
      <ViewHead
        title="Search analytics"
        lead="Searches of all clients, counted by this server and kept in it. They are never sent."
      >
        <Group gap="sm">
          {uids.length > 1 && (
            <Select
              aria-label="Index"
              data={uids}
              value={index}
              onChange={setIndex}
              placeholder="All indexes"
              clearable
              w={200}
            />
          )}
          <Select
            aria-label="Time"
            data={RANGES}
            value={hours}
            onChange={(value) => setHours(value ?? '24')}
            allowDeselect={false}
            w={160}
          />
        </Group>
      </ViewHead>
      {error !== null && <FaultNote fault={error} />}
      {data !== undefined && <Report report={data} />}
    </>
  );
}

function Report({ report }: { readonly report: SearchReport }) {
  const { totals, positions, rules, groups, dropped } = report;
  if (totals.requests === 0 && totals.clicks === 0)
    return (
      <div className="panel pad">
        <EmptyNote icon="chart-line" title="No searches in this time">
          Searches are listed here some seconds after they were made.
        </EmptyNote>
      </div>
    );
  return (
    <>
      <SimpleGrid cols={{ base: 2, md: 4 }} mb="lg">
        <Figure name="Searches" value={formatCount(totals.searches)} />
        <Figure name="Without hits" value={share(totals.searches === 0 ? 0 : totals.withoutHits / totals.searches)} />
        <Figure name="Click-through rate" value={share(totals.clickThroughRate)} />
        <Figure name="95 of 100 take at most" value={formatMs(totals.latency.p95Ms)} />
      </SimpleGrid>
      <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="lg">
        <Queries title="Most searched" queries={report.queries} />
        <Queries title="Without hits" queries={report.withoutHits} />
      </SimpleGrid>
      <Times report={report} />
      <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="lg" mt="lg">
        <Panel title="Clicks by position">
          <Bars
            label="Clicks by position"
            bars={positions
              .filter(({ clicks }) => clicks > 0)
              .map(({ position, clicks }) => ({ name: position, value: clicks }))}
            format={formatCount}
          />
        </Panel>
        <Parts title="By search rule" rows={rules.map(({ rule, ...rates }) => ({ name: rule, ...rates }))} />
        <Parts title="By group of users" rows={groups.map(({ group, ...rates }) => ({ name: group, ...rates }))} />
      </SimpleGrid>
      {(dropped.records > 0 || dropped.hours > 0 || report.isPartial) && (
        <Text size="sm" c="dimmed" mt="md">
          {report.isPartial
            ? 'Rare queries of this time are left out. '
            : `${formatCount(dropped.records)} searches and events found no space since the start. `}
          <Code>--search-analytics-size</Code> sets the space.
        </Text>
      )}
    </>
  );
}

function Queries({ title, queries }: { readonly title: string; readonly queries: readonly QueryRates[] }) {
  return (
    <Panel title={title}>
      <RateTable
        label={title}
        head="Query"
        rows={queries.map(({ index, query, ...rates }) => ({ key: `${index} ${query}`, name: query, ...rates }))}
      />
    </Panel>
  );
}

interface NamedRates extends SearchRates {
  readonly name: string;
}
function Parts({ title, rows }: { readonly title: string; readonly rows: readonly NamedRates[] }) {
  if (rows.length === 0) return null;
  return (
    <Panel title={title}>
      <RateTable label={title} head="Name" rows={rows.map((row) => ({ key: row.name, ...row }))} />
    </Panel>
  );
}

function RateTable({
  label,
  head,
  rows,
}: {
  readonly label: string;
  readonly head: string;
  readonly rows: readonly (NamedRates & { readonly key: string })[];
}) {
  if (rows.length === 0)
    return (
      <Text size="sm" c="dimmed">
        Nothing yet
      </Text>
    );
  return (
    <Table.ScrollContainer minWidth={360} scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}>
      <Table aria-label={label} verticalSpacing={6}>
        <TableHead names={[head, 'Searches', 'Without hits', 'Clicks', 'Position']} />
        <Table.Tbody>
          {rows.map(({ key, name, searches, withoutHits, clicks, averageClickPosition }) => (
            <Table.Tr key={key}>
              <Table.Td>{name}</Table.Td>
              <Table.Td className="number">{formatCount(searches)}</Table.Td>
              <Table.Td className="number">{formatCount(withoutHits)}</Table.Td>
              <Table.Td className="number">{formatCount(clicks)}</Table.Td>
              <Table.Td className="number">
                {averageClickPosition === null ? '–' : (averageClickPosition + 1).toFixed(1)}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

function Times({ report: { times, totals } }: { readonly report: SearchReport }) {
  const starts = useMemo(() => times.map(({ from }) => Date.parse(from) / 1000), [times]);
  const counts = useMemo(
    () => [{ name: 'Searches', values: times.map(({ searches }) => searches), color: '#279c79' }],
    [times],
  );
  const latencies = useMemo(
    () => [
      { name: '50 %', values: times.map(({ latency }) => latency.p50Ms), color: '#279c79' },
      { name: '95 %', values: times.map(({ latency }) => latency.p95Ms), color: '#c77d2b' },
    ],
    [times],
  );
  return (
    <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="lg" mt="lg">
      <Panel title="Searches over time" gap="xs">
        <Curve label={`${totals.searches} searches over time`} times={starts} series={counts} kind="bars" />
      </Panel>
      <Panel title="How long searches take" gap="xs">
        <Curve
          label={`Milliseconds over time: half of the searches take ${totals.latency.p50Ms} at most, 95 of 100 ${totals.latency.p95Ms}`}
          times={starts}
          series={latencies}
          unit=" ms"
        />
      </Panel>
    </SimpleGrid>
  );
}

const share = (value: number | null): string => (value === null ? '–' : `${Math.round(value * 100)} %`);
