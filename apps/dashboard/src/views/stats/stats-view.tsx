import { Select, SimpleGrid, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { Link } from 'wouter';
import { call } from '../../api/client.js';
import { useStats } from '../../api/queries.js';
import type { IndexStats, Stats, Task, UidPage } from '../../api/types.js';
import { Answered } from '../../parts/answered.js';
import { indexPath, lastIndex } from '../../parts/current-index.js';
import { EmptyNote } from '../../parts/empty-note.js';
import { FaultNote } from '../../parts/fault-note.js';
import { Bars } from '../../parts/figures/bars.js';
import { Curve } from '../../parts/figures/curve.js';
import { Figure } from '../../parts/figures/figure.js';
import { formatAgo, formatBytes, formatCount, formatName } from '../../parts/figures/numbers.js';
import { Panel } from '../../parts/panel.js';
import { ViewHead } from '../../parts/view-head.js';
import { bucketsOf } from './task-buckets.js';

/** The number of recent tasks in the curve. */
const TASKS = 1_000;
const MAX_BARS = 12;

/** Counts and sizes, and their growth. */
export function StatsView() {
  return <Answered query={useStats(true)}>{(stats) => <OfServer stats={stats} />}</Answered>;
}

function OfServer({ stats: data }: { readonly stats: Stats }) {
  const indexes = Object.entries(data.indexes);
  const documentCount = indexes.reduce((sum, [, { numberOfDocuments }]) => sum + numberOfDocuments, 0);
  const vectorCount = indexes.reduce((sum, [, { numberOfEmbeddings }]) => sum + numberOfEmbeddings, 0);
  const byDocuments = indexes.map(([name, { numberOfDocuments: value }]) => ({
    ...{ name, value },
    link: (
      <Link href={indexPath(name)} className="link">
        {name}
      </Link>
    ),
  }));
  return (
    <>
      <ViewHead
        title="Statistics"
        lead={data.lastUpdate === null ? undefined : `Last change ${formatAgo(data.lastUpdate)}`}
      />
      <SimpleGrid cols={{ base: 2, md: 4 }} mb="lg">
        <Figure name="Documents" value={formatCount(documentCount)} />
        <Figure name="Indexes" value={formatCount(indexes.length)} />
        <Figure name="On disk" value={formatBytes(data.databaseSize)} />
        {vectorCount > 0 ? (
          <Figure name="Vectors" value={formatCount(vectorCount)} />
        ) : (
          <Figure name="In use" value={formatBytes(data.usedDatabaseSize)} />
        )}
      </SimpleGrid>
      <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="lg">
        <Panel title="Documents per index">
          <Bars
            label="Documents per index"
            bars={byDocuments.sort((left, right) => right.value - left.value)}
            format={formatCount}
          />
        </Panel>
        <TasksOverTime />
        <OfIndex indexes={data.indexes} />
      </SimpleGrid>
    </>
  );
}

function TasksOverTime() {
  const { data, error } = useQuery({
    queryKey: ['tasks', 'over-time'],
    queryFn: ({ signal }) =>
      call<UidPage<Task>>('GET', '/tasks', { query: { limit: TASKS, statuses: 'succeeded,failed' }, signal }),
  });
  const buckets = useMemo(() => bucketsOf(data?.results ?? []), [data]);
  const series = useMemo(
    () => [
      // failed tasks are drawn over the others: together they are all finished tasks
      { name: 'succeeded', values: buckets.finished, color: '#279c79' },
      { name: 'failed', values: buckets.failed, color: '#e03131' },
    ],
    [buckets],
  );
  const failedCount = buckets.failed.reduce((sum, count) => sum + count, 0);
  const total = buckets.finished.reduce((sum, count) => sum + count, 0);
  return (
    <Panel title="Tasks over time" gap="xs">
      {error !== null && <FaultNote fault={error} />}
      {total === 0 ? (
        <EmptyNote icon="clock" title="No finished task yet" />
      ) : (
        <>
          <Curve
            kind="bars"
            label={`The last ${total} finished tasks over time: ${total - failedCount} succeeded, ${failedCount} failed`}
            times={buckets.times}
            series={series}
          />
          <Text size="xs" c="dimmed">
            The last {formatCount(total)} finished tasks, {failedCount} of them failed
          </Text>
        </>
      )}
    </Panel>
  );
}

function OfIndex({ indexes }: { readonly indexes: Readonly<Record<string, IndexStats>> }) {
  const uids = Object.keys(indexes);
  const [chosen, setChosen] = useState<string | null>(null);
  const uid = [chosen, lastIndex()].find((each) => each != null && uids.includes(each)) ?? uids[0];
  const stats = uid === undefined ? undefined : indexes[uid];
  if (uid === undefined || stats === undefined) return null;
  const fields = barsOf(stats.fieldDistribution);
  const sizes = barsOf(stats.internalDatabaseSizes ?? {}).map((bar) => ({ ...bar, name: formatName(bar.name) }));
  const picker = uids.length > 1 && (
    <Select aria-label="Index" data={uids} value={uid} onChange={setChosen} allowDeselect={false} size="xs" w={180} />
  );
  return (
    <>
      <section className="panel pad">
        <div className="panel-head">
          <Title order={2}>Attributes of {uid}</Title>
          {picker}
        </div>
        <Bars
          label={`Documents with each attribute of ${uid}`}
          bars={fields}
          whole={stats.numberOfDocuments}
          format={formatCount}
        />
      </section>
      <section className="panel pad">
        <div className="panel-head">
          <Title order={2}>What {uid} takes on disk</Title>
        </div>
        <Bars label={`Bytes of each part of ${uid}`} bars={sizes} format={formatBytes} />
        <Text size="xs" c="dimmed" mt="md">
          A document takes {formatBytes(stats.avgDocumentSize)} on average.
        </Text>
      </section>
    </>
  );
}

function barsOf(values: Readonly<Record<string, number>>): { name: string; value: number }[] {
  const bars = Object.entries(values).map(([name, value]) => ({ name, value }));
  return bars.sort((left, right) => right.value - left.value).slice(0, MAX_BARS);
}
