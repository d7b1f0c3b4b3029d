import {
  Badge,
  Button,
  Drawer,
  Group,
  Loader,
  Pagination,
  Select,
  Slider,
  Stack,
  Text,
  TextInput,
  VisuallyHidden,
} from '@mantine/core';
import { useDisclosure, useHotkeys, useMediaQuery } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { Link } from 'wouter';
import { sendClick, useIsCounting, useSuggestions, visitorHeaders } from '../../api/analytics.js';
import { call } from '../../api/client.js';
import { useIndexes, useSettings } from '../../api/queries.js';
import type { SearchAnswer, Settings } from '../../api/types.js';
import { indexPath, useIndexUid } from '../../parts/current-index.js';
import { EmptyNote } from '../../parts/empty-note.js';
import { FaultNote } from '../../parts/fault-note.js';
import { Icon } from '../../parts/icon.js';
import { CodeDialog } from './code-dialog.js';
import { ComputedNumbers } from './computed.js';
import { Facets } from './facets.js';
import { HitCard } from './hit-card.js';
import { HitMap } from './hit-map.js';
import { levelsIn } from './levels.js';
import { OptionsPanel } from './options-panel.js';
import { usePictures } from './pictures.js';
import { PlanDialog } from './plan-dialog.js';
import { useSearchState } from './saved-search.js';
import { countOfHits, faultOfSearch, HITS_PER_PAGE, mergeAnswers, queriesOf, textEmbedders } from './search-request.js';
import { filterCount, type SearchAction, type SearchState } from './search-state.js';
import { WhyNotDialog } from './why-not-dialog.js';
import './search.css';
import { typed } from '../../parts/inputs/typed.js';
import { isRecording, recordSearch } from '../../parts/search-record.js';

/**
 * A search is recorded when there was no typing for this long, in milliseconds: every letter is a search, but not an intended one.
 */
const SETTLED_MS = 900;

/** Searching as a visitor of the user's own product would, with all settings that affect the results. */
export function SearchView() {
  const uid = useIndexUid();
  const [state, dispatch] = useSearchState(uid);
  const [hasPictures, setPictures] = usePictures(uid);
  const settings = useSettings(uid);
  const primaryKey = useIndexes().data?.results.find((index) => index.uid === uid)?.primaryKey ?? null;
  // a key that can only search cannot read settings: then facets are not selected
  const isSettled = settings.data !== undefined || settings.error !== null;
  const levels = levelsIn(settings.data);
  const asked = { facets: facetsOf(settings.data), levels: levels.map(({ attribute }) => attribute) };
  const { data: answer, error, isFetching } = useSearch(uid, state, asked, isSettled);
  useRecordedSearch(uid, state, isFetching ? undefined : answer);
  const isWide = useMediaQuery('(min-width: 62em)', true, { getInitialValueInEffect: false });
  const facets = answer === undefined ? null : <Facets {...{ uid, answer, levels, state, dispatch }} />;
  const hasFacets = Object.keys({ ...answer?.facetDistribution, ...answer?.facetLevels }).length > 0;
  return (
    <div className={isWide && hasFacets ? 'search with-facets' : 'search'}>
      <Stack gap="md" miw={0}>
        <VisuallyHidden component="h1">Search in {uid}</VisuallyHidden>
        <QueryInput q={state.q} isBusy={isFetching} dispatch={dispatch} />
        <Suggestions uid={uid} q={state.q} dispatch={dispatch} />
        <Group gap="sm" className="search-controls">
          <Text size="sm" c="dimmed" role="status" className="number" mr="auto">
            {answer === undefined ? ' ' : summaryOf(answer, maxTotalHitsOf(settings.data))}
          </Text>
          {!isWide && hasFacets && <FacetDrawer count={filterCount(state)}>{facets}</FacetDrawer>}
          <Hybrid settings={settings.data} state={state} dispatch={dispatch} />
          <OptionsPanel
            options={state.options}
            onChange={(options) => dispatch({ kind: 'options', options })}
            {...{ hasPictures, setPictures }}
          />
          <CodeDialog {...{ uid, state }} facets={asked.facets} />
          <SortPicker settings={settings.data} state={state} dispatch={dispatch} />
        </Group>
        {error !== null && <FaultNote fault={error} />}
        {answer?.aggregations !== undefined && <ComputedNumbers aggregations={answer.aggregations} />}
        {answer !== undefined && <HitMap hits={answer.hits} primaryKey={primaryKey} />}
        {answer !== undefined && <Groups {...{ uid, answer, primaryKey, hasPictures }} isScored={state.q !== ''} />}
        {answer?.hits.map((hit, at) => (
          <HitCard
            key={primaryKey === null ? at : String(hit[primaryKey])}
            {...{ uid, hit, primaryKey, hasPictures }}
            isScored={state.q !== ''}
            rank={(state.page - 1) * HITS_PER_PAGE + at + 1}
            onOpen={() => noteClick(uid, answer, (state.page - 1) * HITS_PER_PAGE + at, hit[primaryKey ?? ''])}
          />
        ))}
        {answer !== undefined && answer.hits.length + (answer.groups?.length ?? 0) === 0 && (
          <NoHits uid={uid} state={state} dispatch={dispatch} />
        )}
        {answer !== undefined && (
          <Group justify="center">
            <PlanDialog {...{ uid, state }} facets={asked.facets} />
            {settings.data !== undefined && primaryKey !== null && (state.q !== '' || filterCount(state) > 0) && (
              <WhyNotDialog {...{ uid, primaryKey, state }} settings={settings.data} />
            )}
          </Group>
        )}
        {(answer?.totalPages ?? 0) > 1 && (
          <Pagination
            value={state.page}
            total={answer?.totalPages ?? 1}
            siblings={isWide ? 1 : 0}
            onChange={(page) => {
              dispatch({ kind: 'page', page });
              window.scrollTo({ top: 0 });
            }}
            getControlProps={(control) => ({ 'aria-label': `${control} page` })}
            mx="auto"
          />
        )}
      </Stack>
      {isWide && hasFacets && <aside className="facet-column">{facets}</aside>}
    </div>
  );
}

/** The best hits of each value. */
function Groups({
  uid,
  answer,
  primaryKey,
  isScored,
  hasPictures,
}: {
  readonly uid: string;
  readonly answer: SearchAnswer;
  readonly primaryKey: string | null;
  readonly isScored: boolean;
  readonly hasPictures: boolean;
}) {
  return answer.groups?.map(({ value, documentCount, hits }) => (
    <Stack key={`${typeof value} ${value}`} component="section" gap="xs" aria-label={`Group ${value}`}>
      <Text fw={600}>
        {value} <Badge color="gray">{documentCount}</Badge>
      </Text>
      {hits.map((hit, at) => (
        <HitCard
          key={primaryKey === null ? at : String(hit[primaryKey])}
          {...{ uid, hit, primaryKey, isScored, hasPictures }}
          rank={at + 1}
          onOpen={() => noteClick(uid, answer, at, hit[primaryKey ?? ''])}
        />
      ))}
    </Stack>
  ));
}

/** Counts a click, where the server counts searches. */
function noteClick(indexUid: string, { metadata }: SearchAnswer, position: number, id: unknown): void {
  if (metadata !== undefined)
    sendClick({ indexUid, queryUid: metadata.queryUid, position, objectId: String(id ?? '') });
}

/** Popular queries that continue what is typed. */
function Suggestions({
  uid,
  q,
  dispatch,
}: { readonly uid: string } & Pick<PartProps, 'dispatch'> & { readonly q: string }) {
  const suggestions = useSuggestions(uid, q);
  if (suggestions.length === 0) return null;
  return (
    <Group gap={6} component="section" aria-label="Suggestions">
      {suggestions.map((query) => (
        <Button key={query} size="compact-sm" variant="default" onClick={() => dispatch({ kind: 'query', q: query })}>
          {query}
        </Button>
      ))}
    </Group>
  );
}

function useSearch(
  uid: string,
  state: SearchState,
  { facets, levels }: { readonly facets: readonly string[]; readonly levels: readonly string[] },
  isSettled: boolean,
) {
  const isCounting = useIsCounting();
  return useQuery({
    queryKey: ['search', uid, state, facets, levels, isCounting],
    queryFn: async ({ signal }) => {
      const body = { queries: queriesOf(uid, state, facets, levels) };
      const headers = isCounting ? { ...visitorHeaders(), 'meili-include-metadata': 'true' } : {};
      const asked = call<{ results: SearchAnswer[] }>('POST', '/multi-search', { body, signal, headers });
      const { results } = await asked.catch((fault) => Promise.reject(faultOfSearch(fault)));
      return mergeAnswers(state, results);
    },
    enabled: isSettled,
    placeholderData: keepPreviousData,
  });
}

function facetsOf(settings: Settings | undefined): readonly string[] {
  const filterable = settings?.filterableAttributes;
  return Array.isArray(filterable) && filterable.length > 0 ? ['*'] : [];
}

/** The most hits that a search of the index counts; what a new index has, for a key that may not read settings. */
function maxTotalHitsOf(settings: Settings | undefined): number {
  return Number((settings?.pagination as { readonly maxTotalHits?: number } | undefined)?.maxTotalHits ?? 1_000);
}

function summaryOf(answer: SearchAnswer, maxTotalHits: number): string {
  const { processingTimeMs, semanticHitCount } = answer;
  const hits = countOfHits(answer, maxTotalHits);
  const byMeaning = semanticHitCount === undefined ? '' : `, ${semanticHitCount} by meaning`;
  return `${hits}${byMeaning} in ${processingTimeMs === 0 ? 'less than 1' : processingTimeMs} ms`;
}

interface PartProps {
  readonly state: SearchState;
  readonly dispatch: (action: SearchAction) => void;
}

function QueryInput({
  q,
  isBusy,
  dispatch,
}: {
  readonly q: string;
  readonly isBusy: boolean;
  readonly dispatch: PartProps['dispatch'];
}) {
  const input = useRef<HTMLInputElement>(null);
  useHotkeys([['/', () => input.current?.focus()]]);
  return (
    <TextInput
      ref={input}
      size="lg"
      type="search"
      {...typed(q, (q) => dispatch({ kind: 'query', q }))}
      placeholder="Search as you type"
      aria-label="Search"
      aria-keyshortcuts="/"
      leftSection={<Icon name="search" size={20} />}
      rightSection={isBusy ? <Loader size="xs" /> : null}
      autoComplete="off"
      spellCheck={false}
      autoFocus
    />
  );
}

function SortPicker({ settings, state, dispatch }: PartProps & { readonly settings: Settings | undefined }) {
  const names = (settings?.sortableAttributes as string[] | undefined)?.filter((name) => name !== '_geo') ?? [];
  if (names.length === 0) return null;
  const options = names.flatMap((name) => [
    { value: `${name}:asc`, label: `${name}, lowest first` },
    { value: `${name}:desc`, label: `${name}, highest first` },
  ]);
  return (
    <Select
      aria-label="Sort"
      data={[{ value: '', label: 'By relevance' }, ...options]}
      value={state.sort ?? ''}
      onChange={(value) => dispatch({ kind: 'sort', sort: value === '' ? null : value })}
      allowDeselect={false}
      w={200}
    />
  );
}

function Hybrid({ settings, state, dispatch }: PartProps & { readonly settings: Settings | undefined }) {
  const names = textEmbedders(settings?.embedders);
  if (names.length === 0) return null;
  const set = (embedder: string | null, semanticRatio: number): void =>
    dispatch({ kind: 'hybrid', embedder, semanticRatio });
  return (
    <Group gap="xs" wrap="nowrap" className="hybrid">
      <Text size="xs" c="dimmed">
        Words
      </Text>
      <Slider
        w={110}
        size="sm"
        min={0}
        max={1}
        step={0.1}
        value={state.embedder === null ? 0 : state.semanticRatio}
        onChange={(ratio) => set(ratio === 0 ? null : (state.embedder ?? names[0]!), ratio)}
        label={(ratio) => `${Math.round(ratio * 100)} % meaning`}
        thumbLabel="How much meaning counts"
      />
      <Text size="xs" c="dimmed">
        Meaning
      </Text>
      {names.length > 1 && (
        <Select
          aria-label="Embedder"
          data={names}
          value={state.embedder ?? names[0]!}
          onChange={(name) => set(name, state.semanticRatio)}
          allowDeselect={false}
          w={140}
        />
      )}
    </Group>
  );
}

function FacetDrawer({ count, children }: { readonly count: number; readonly children: React.ReactNode }) {
  const [isOpen, { open, close }] = useDisclosure(false);
  return (
    <>
      <Button
        variant="default"
        leftSection={<Icon name="funnel" size={16} />}
        rightSection={count > 0 ? <Badge circle>{count}</Badge> : null}
        onClick={open}
      >
        Filters
      </Button>
      <Drawer opened={isOpen} onClose={close} title="Filters" position="right" size="sm">
        {children}
        <Button fullWidth mt="lg" onClick={close}>
          Show the hits
        </Button>
      </Drawer>
    </>
  );
}

function NoHits({ uid, state, dispatch }: PartProps & { readonly uid: string }) {
  if (filterCount(state) > 0)
    return (
      <EmptyNote icon="search" title="Nothing fits the query and the filters">
        <Button variant="light" mt="xs" onClick={() => dispatch({ kind: 'clear' })}>
          Clear the filters
        </Button>
      </EmptyNote>
    );
  if (state.q !== '')
    return (
      <EmptyNote icon="search" title={`Nothing found for “${state.q}”`}>
        Fewer words may help, or a{' '}
        <Link href={indexPath(uid, 'words')} className="link">
          synonym
        </Link>
        .
      </EmptyNote>
    );
  return (
    <EmptyNote icon="files" title="No document yet">
      <Button component={Link} href={indexPath(uid, 'documents')} variant="light" mt="xs">
        Add documents
      </Button>
    </EmptyNote>
  );
}

/** Records the search of a state once it has settled, if recording is on. */
function useRecordedSearch(uid: string, state: SearchState, answer: SearchAnswer | undefined): void {
  useEffect(() => {
    if (answer === undefined || state.page !== 1 || !isRecording()) return;
    const { totalHits = 0, processingTimeMs } = answer;
    const timer = setTimeout(() => {
      const search = { atMs: Date.now(), uid, q: state.q.trim().toLowerCase(), filterCount: filterCount(state) };
      recordSearch({ ...search, hitCount: totalHits, tookMs: processingTimeMs });
    }, SETTLED_MS);
    return () => clearTimeout(timer);
  }, [uid, state, answer]);
}
