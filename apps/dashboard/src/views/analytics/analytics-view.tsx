import { Button, Code, Select, SimpleGrid, Switch, Text } from '@mantine/core';
import { useMemo, useState } from 'react';
import { useIsCounting } from '../../api/analytics.js';
import { ConfirmButton } from '../../parts/confirm-button.js';
import { EmptyNote } from '../../parts/empty-note.js';
import { Bars } from '../../parts/figures/bars.js';
import { Curve } from '../../parts/figures/curve.js';
import { Figure } from '../../parts/figures/figure.js';
import { formatCount, formatMs } from '../../parts/figures/numbers.js';
import { switched } from '../../parts/inputs/typed.js';
import { Panel } from '../../parts/panel.js';
import {
  forgetSearches,
  isRecording,
  type RecordedSearch,
  recordedSearches,
  setRecording,
} from '../../parts/search-record.js';
import { ViewHead } from '../../parts/view-head.js';
import { ServerReport } from './server-report.js';
import { type Summary, summarize } from './summary.js';

/** What the server counts of all searches; where it counts none, those that this browser keeps. */
export function AnalyticsView() {
  return useIsCounting() ? <ServerReport /> : <OwnSearches />;
}

/** Statistics of the searches made on this page: optional, stored in this browser, and sent nowhere. */
function OwnSearches() {
  const [isOn, setOn] = useState(isRecording);
  const [searches, setSearches] = useState(recordedSearches);
  const toggle = (next: boolean): void => {
    setRecording(next);
    setOn(next);
  };
  return (
    <>
      <ViewHead
        title="Search analytics"
        lead="Only searches made on this page, not those of other clients. They are kept in this browser and never sent."
      >
        <Switch label="Keep searches" {...switched(isOn, toggle)} />
        {searches.length > 0 && (
          <ConfirmButton
            label="Forget all"
            question="Forget all searches?"
            variant="default"
            color="gray"
            onConfirm={() => {
              forgetSearches();
              setSearches([]);
            }}
          >
            {formatCount(searches.length)} searches are removed from this browser.
          </ConfirmButton>
        )}
      </ViewHead>
      {searches.length === 0 ? (
        <NoSearches isOn={isOn} onSwitchOn={() => toggle(true)} />
      ) : (
        <Statistics searches={searches} />
      )}
      <Text size="sm" c="dimmed" mt="lg">
        To count the searches and clicks of all clients, start the server with <Code>--search-analytics</Code>.
      </Text>
    </>
  );
}

function NoSearches({ isOn, onSwitchOn }: { readonly isOn: boolean; readonly onSwitchOn: () => void }) {
  return (
    <div className="panel pad">
      <EmptyNote icon="chart-line" title={isOn ? 'No searches yet' : 'Searches are not kept'}>
        {isOn ? (
          'Search for something on this page, and come back.'
        ) : (
          <>
            Switch it on to see the most frequent searches on this page, those without hits, and how long they take.
            <br />
            <Button mt="md" onClick={onSwitchOn}>
              Keep searches
            </Button>
          </>
        )}
      </EmptyNote>
    </div>
  );
}

/** Figures and lists of these searches, of all indexes or of a chosen one. */
function Statistics({ searches }: { readonly searches: readonly RecordedSearch[] }) {
  const [uid, setUid] = useState<string | null>(null);
  const uids = [...new Set(searches.map((search) => search.uid))];
  const chosen = useMemo(() => searches.filter((search) => uid === null || search.uid === uid), [searches, uid]);
  const summary = useMemo(() => summarize(chosen), [chosen]);
  return (
    <>
      {uids.length > 1 && (
        <Select
          aria-label="Index"
          data={uids}
          value={uid}
          onChange={setUid}
          placeholder="All indexes"
          clearable
          w={220}
          mb="md"
        />
      )}
      <SimpleGrid cols={{ base: 2, md: 4 }} mb="lg">
        <Figure name="Searches" value={formatCount(summary.searchCount)} />
        <Figure name="Without hits" value={`${Math.round(summary.emptyShare * 100)} %`} />
        <Figure name="Half take at most" value={formatMs(summary.medianMs)} />
        <Figure name="Slowest" value={formatMs(summary.slowestMs)} />
      </SimpleGrid>
      <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="lg">
        <Queries title="Most searched" queries={summary.mostSearched} />
        <Queries title="Without hits" queries={summary.withoutHits} />
      </SimpleGrid>
      <Durations summary={summary} />
    </>
  );
}

function Durations({ summary }: { readonly summary: Summary }) {
  const series = useMemo(() => [{ name: 'ms', values: summary.tookMs, color: '#279c79' }], [summary]);
  return (
    <Panel title="How long searches take" gap="xs" className="mt">
      <Curve
        label={`Milliseconds of ${summary.searchCount} searches over time: half of them ${summary.medianMs} at most, the slowest ${summary.slowestMs}`}
        times={summary.times}
        series={series}
        unit=" ms"
      />
    </Panel>
  );
}

function Queries({
  title,
  queries,
}: {
  readonly title: string;
  readonly queries: readonly { readonly q: string; readonly count: number }[];
}) {
  return (
    <Panel title={title}>
      <Bars label={title} bars={queries.map(({ q, count }) => ({ name: q, value: count }))} format={formatCount} />
    </Panel>
  );
}
