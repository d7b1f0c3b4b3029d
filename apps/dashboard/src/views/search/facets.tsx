import { Button, Checkbox, Group, RangeSlider, Stack, Text, TextInput, Title } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../api/client.js';
import type { SearchAnswer } from '../../api/types.js';
import { Icon } from '../../parts/icon.js';
import { typed } from '../../parts/inputs/typed.js';
import { Levels, type LevelsOfFacet } from './levels.js';
import { filterOf } from './search-request.js';
import { filterCount, type SearchAction, type SearchState } from './search-state.js';

interface Props {
  readonly uid: string;
  readonly answer: SearchAnswer;
  /** Attributes whose values are paths. */
  readonly levels: readonly LevelsOfFacet[];
  readonly state: SearchState;
  readonly dispatch: (action: SearchAction) => void;
}
const SHOWN_VALUES = 7;
/** From this many values on, values can be searched by name. */
const SEARCHED_VALUES = 12;
/** With more distinct numbers than this, a range is offered. */
const RANGE_VALUES = 12;
const TYPING_PAUSE_MS = 150;

/** Filters on filterable attributes: check boxes with counts, ranges of numbers, and steps of paths. */
export function Facets({ uid, answer, levels, state, dispatch }: Props) {
  const isPath = (name: string): boolean => levels.some(({ attribute }) => attribute === name);
  const names = Object.keys(answer.facetDistribution ?? {}).filter((name) => !isPath(name));
  return (
    <Stack gap="lg" component="section" aria-label="Filters">
      <Group justify="space-between" mih={26}>
        <Title order={2}>Filters</Title>
        {filterCount(state) > 0 && (
          <Button size="compact-sm" variant="subtle" onClick={() => dispatch({ kind: 'clear' })}>
            Clear
          </Button>
        )}
      </Group>
      {levels.map((facet) => (
        <Levels
          key={facet.attribute}
          {...facet}
          steps={answer.facetLevels?.[facet.attribute] ?? []}
          under={state.under[facet.attribute] ?? null}
          onChoose={(path) => dispatch({ kind: 'under', attribute: facet.attribute, path })}
        />
      ))}
      {names.map((name) => {
        const counts = answer.facetDistribution?.[name] ?? {};
        const stats = answer.facetStats?.[name];
        const isRange = stats !== undefined && stats.max > stats.min && Object.keys(counts).length > RANGE_VALUES;
        return isRange || state.ranges[name] !== undefined ? (
          <Range key={name} name={name} stats={stats} state={state} dispatch={dispatch} />
        ) : (
          <Values key={name} uid={uid} name={name} counts={counts} state={state} dispatch={dispatch} />
        );
      })}
    </Stack>
  );
}

interface ValuesProps extends Omit<Props, 'answer' | 'levels'> {
  readonly name: string;
  readonly counts: Readonly<Record<string, number>>;
}

function Values({ uid, name, counts, state, dispatch }: ValuesProps) {
  const [isWhole, setWhole] = useState(false);
  const [wanted, setWanted] = useState('');
  const picked = state.picked[name] ?? [];
  const found = useFacetSearch(uid, name, wanted, state);
  const listed = (found ?? Object.entries(counts)).toSorted(([, left], [, right]) => right - left);
  // selected values stay visible even without matching documents
  const entries = [
    ...listed,
    ...picked.filter((value) => listed.every(([each]) => each !== value)).map((value): [string, number] => [value, 0]),
  ];
  const shown =
    isWhole || wanted !== '' ? entries : entries.filter(([value], at) => at < SHOWN_VALUES || picked.includes(value));
  return (
    <fieldset className="facet">
      <legend>{name}</legend>
      {Object.keys(counts).length >= SEARCHED_VALUES && (
        <TextInput
          size="xs"
          {...typed(wanted, setWanted)}
          placeholder={`Find in ${name}`}
          aria-label={`Find a value of ${name}`}
          leftSection={<Icon name="search" size={14} />}
          mb={6}
        />
      )}
      <Checkbox.Group value={[...picked]} onChange={(values) => dispatch({ kind: 'pick', attribute: name, values })}>
        <Stack gap={6}>
          {shown.map(([value, count]) => (
            <div key={value} className="facet-value">
              <Checkbox value={value} label={value} size="xs" />
              <span className="number quiet">{count.toLocaleString('en')}</span>
            </div>
          ))}
        </Stack>
      </Checkbox.Group>
      {shown.length === 0 && (
        <Text size="xs" c="dimmed">
          No value
        </Text>
      )}
      {wanted === '' && entries.length > SHOWN_VALUES && (
        <Button size="compact-xs" variant="subtle" mt={6} onClick={() => setWhole(!isWhole)} aria-expanded={isWhole}>
          {isWhole ? 'Fewer' : `All ${entries.length}`}
        </Button>
      )}
    </fieldset>
  );
}

/** Values of a facet whose names begin with `wanted`, with their counts; undefined while there is no answer. */
function useFacetSearch(uid: string, name: string, wanted: string, state: SearchState): [string, number][] | undefined {
  const [settled] = useDebouncedValue(wanted, TYPING_PAUSE_MS);
  const filter = filterOf(state, name);
  const { data } = useQuery({
    queryKey: ['facet-search', uid, name, settled, state.q, filter],
    queryFn: ({ signal }) =>
      call<{ facetHits: { value: string; count: number }[] }>(
        'POST',
        `/indexes/${encodeURIComponent(uid)}/facet-search`,
        {
          body: { facetName: name, facetQuery: settled, q: state.q, filter },
          signal,
        },
      ),
    enabled: settled !== '',
  });
  return wanted === '' ? undefined : data?.facetHits.map(({ value, count }) => [value, count]);
}

interface RangeProps {
  readonly name: string;
  readonly stats: NonNullable<SearchAnswer['facetStats']>[string] | undefined;
  readonly state: SearchState;
  readonly dispatch: (action: SearchAction) => void;
}

function Range({ name, stats, state, dispatch }: RangeProps) {
  const set = state.ranges[name];
  const [min, max] = [
    Math.min(stats?.min ?? 0, set?.[0] ?? Infinity),
    Math.max(stats?.max ?? 0, set?.[1] ?? -Infinity),
  ];
  const [dragged, setDragged] = useState<[number, number] | null>(null);
  const value: [number, number] = dragged ?? (set === undefined ? [min, max] : [set[0], set[1]]);
  const settle = (next: [number, number]): void => {
    setDragged(null);
    dispatch({ kind: 'range', attribute: name, range: next[0] <= min && next[1] >= max ? null : next });
  };
  const isWhole = Number.isInteger(min) && Number.isInteger(max);
  return (
    <fieldset className="facet">
      <legend>{name}</legend>
      <RangeSlider
        min={min}
        max={max}
        step={isWhole ? 1 : (max - min) / 100}
        minRange={0}
        value={value}
        onChange={setDragged}
        onChangeEnd={settle}
        label={null}
        size="sm"
        thumbFromLabel={`Lowest ${name}`}
        thumbToLabel={`Highest ${name}`}
      />
      <Group justify="space-between" mt={6}>
        {value.map((bound, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the lower bound and the upper one
          <span key={at} className="number quiet">
            {isWhole ? bound : bound.toPrecision(4)}
          </span>
        ))}
      </Group>
    </fieldset>
  );
}
