import { meanOf, ndcg, parseJudged } from '@fossick/api/judged';
import { Button, Group, NativeSelect, Select, SimpleGrid, Stack, Table, Text, TextInput, Title } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { useSearchReport } from '../../api/analytics.js';
import { call } from '../../api/client.js';
import type { Hit, SearchAnswer } from '../../api/types.js';
import { useIndexUid } from '../../parts/current-index.js';
import { EmptyNote } from '../../parts/empty-note.js';
import { FaultNote } from '../../parts/fault-note.js';
import { shapeOf } from '../../parts/hit-shape.js';
import { notify, notifyFault } from '../../parts/notify.js';
import { saveFile } from '../../parts/save-file.js';
import { recordedSearches } from '../../parts/search-record.js';
import { ViewHead } from '../../parts/view-head.js';
import './compare.css';
import { useIndexes } from '../../api/queries.js';
import { typed } from '../../parts/inputs/typed.js';
import { Panel } from '../../parts/panel.js';
import { NO_OPTIONS, parametersOf, type SearchOptions, TYPO_CHOICES } from '../../parts/search-options.js';
import { TableHead } from '../../parts/table-head.js';
import { gradesOf, JUDGED_HITS, movesOf, storedJudged, storeJudged, withGrade } from './judged-store.js';

/** One way to search. */
interface Side {
  /** The index: another one with the same documents has other settings. */
  readonly uid: string;
  readonly options: SearchOptions;
}
/** As the index is set. */
const startSide = (uid: string): Side => ({ uid, options: NO_OPTIONS });

/** The parameters of a search this way, without its words. */
function sideParameters({ options }: Side): object {
  const { filter } = options;
  return { ...parametersOf(options), ...(filter.trim() === '' ? {} : { filter }) };
}

interface Props {
  readonly side: Side;
  readonly onChange: (side: Side) => void;
}
function SideOptions({ side: { uid, options }, onChange }: Props) {
  const uids = useIndexes().data?.results.map((index) => index.uid) ?? [uid];
  const set = (change: Partial<SearchOptions>): void => onChange({ uid, options: { ...options, ...change } });
  return (
    <Stack gap="xs">
      <Select
        label="Index and its settings"
        data={uids}
        value={uid}
        onChange={(chosen) => onChange({ uid: chosen ?? uid, options })}
        allowDeselect={false}
      />
      <TextInput
        label="Ranking rules"
        placeholder="Those of the index"
        {...typed(options.rules, (rules) => set({ rules }))}
      />
      <TextInput
        label="Weights of attributes"
        placeholder="Those of the index"
        {...typed(options.weights, (weights) => set({ weights }))}
      />
      <Select
        label="Typos"
        data={[...TYPO_CHOICES]}
        value={options.typos}
        onChange={(typos) => set({ typos: typos as SearchOptions['typos'] })}
        allowDeselect={false}
      />
    </Stack>
  );
}

const TYPING_PAUSE_MS = 200;
const ASKED = 20;
const HOURS = 24 * 7;
const GRADES = [
  { value: '', label: 'Not judged' },
  { value: '0', label: '0, of no use' },
  { value: '1', label: '1, a little' },
  { value: '2', label: '2, good' },
  { value: '3', label: '3, the best' },
];

/** Two ways to search for the same words next to each other, with judged hits. */
export function CompareView() {
  const uid = useIndexUid();
  const [q, setQ] = useState('');
  const [sides, setSides] = useState<readonly [Side, Side]>([startSide(uid), startSide(uid)]);
  const [judged, setJudged] = useState(storedJudged);
  const primaryKey = useIndexes().data?.results.find((index) => index.uid === uid)?.primaryKey ?? 'id';
  const [settled] = useDebouncedValue(q, TYPING_PAUSE_MS);
  const answers = [useSide(sides[0], settled), useSide(sides[1], settled)] as const;
  const ids = answers.map(({ data }) => (data?.hits ?? []).map((hit) => String(hit[primaryKey])));
  const grades = gradesOf(judged, uid, settled);
  const change = (next: typeof judged): void => {
    storeJudged(next);
    setJudged(next);
  };
  return (
    <>
      <ViewHead
        title="Side by side"
        lead="The same words searched in two ways. Judge hits, and see which way is better."
      >
        <JudgedFileButtons file={judged} onChange={change} />
      </ViewHead>
      <TextInput type="search" size="md" label="Words" {...typed(q, setQ)} mb="md" />
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="lg">
        {([0, 1] as const).map((at) => (
          <section key={at} className="panel pad" aria-label={`Way ${NAMES[at]}`}>
            <Title order={2} mb="sm">
              {NAMES[at]}: {shownGain(settled === '' ? null : ndcg(ids[at]!, grades, judged.k))}
            </Title>
            <SideOptions
              side={sides[at]}
              onChange={(side) => setSides(at === 0 ? [side, sides[1]] : [sides[0], side])}
            />
            {answers[at].error !== null && <FaultNote fault={answers[at].error} />}
            <Stack component="ol" gap="xs" mt="md" className="compared" aria-label={`Hits of ${NAMES[at]}`}>
              {answers[at].data?.hits.map((hit, rank) => (
                <JudgedHit
                  key={ids[at]![rank]}
                  hit={hit}
                  primaryKey={primaryKey}
                  move={movesOf(ids[at]!, ids[1 - at]!)[rank]!}
                  grade={grades[ids[at]![rank]!] ?? null}
                  onGrade={(grade) =>
                    change(withGrade(judged, { index: uid, primaryKey, q: settled, id: ids[at]![rank]! }, grade))
                  }
                />
              ))}
            </Stack>
          </section>
        ))}
      </SimpleGrid>
      <Overall uid={uid} sides={sides} judged={judged} primaryKey={primaryKey} onChoose={setQ} />
    </>
  );
}
const NAMES = ['A', 'B'] as const;

function useSide(side: Side, q: string) {
  return useQuery({
    queryKey: ['compare', side, q],
    queryFn: () => answerOf(side, q),
    placeholderData: keepPreviousData,
    retry: false,
  });
}
function answerOf(side: Side, q: string): Promise<SearchAnswer> {
  const body = { ...sideParameters(side), q, limit: JUDGED_HITS };
  return call<SearchAnswer>('POST', `/indexes/${encodeURIComponent(side.uid)}/search`, { body });
}

const shownGain = (value: number | null): string => (value === null ? 'not judged' : `nDCG ${value.toFixed(3)}`);

interface HitProps {
  readonly hit: Hit;
  readonly primaryKey: string;
  readonly move: string;
  readonly grade: number | null;
  readonly onGrade: (grade: number | null) => void;
}
function JudgedHit({ hit, primaryKey, move, grade, onGrade }: HitProps) {
  const { title } = shapeOf(hit, primaryKey);
  const name = String(title === undefined ? hit[primaryKey] : hit[title]);
  return (
    <li>
      <Group justify="space-between" wrap="nowrap" gap="xs">
        <Text size="sm" miw={0}>
          {name}{' '}
          {move !== '' && (
            <Text span size="xs" c="dimmed">
              {move}
            </Text>
          )}
        </Text>
        <NativeSelect
          size="xs"
          className="grade"
          aria-label={`Grade of ${name}`}
          data={GRADES}
          value={grade === null ? '' : String(grade)}
          onChange={({ currentTarget: { value } }) => onGrade(value === '' ? null : Number(value))}
        />
      </Group>
    </li>
  );
}

interface OverallProps {
  readonly uid: string;
  readonly sides: readonly [Side, Side];
  readonly judged: ReturnType<typeof storedJudged>;
  readonly primaryKey: string;
  readonly onChoose: (q: string) => void;
}
/** Both ways over the searches that are judged and those that are asked most. */
function Overall({ uid, sides, judged, primaryKey, onChoose }: OverallProps) {
  const report = useSearchReport(HOURS, uid).data;
  const asked = report?.enabled === true ? report.queries.map(({ query }) => query) : recordedOf(uid);
  const own = judged.searches.filter(({ index }) => index === uid).map(({ search }) => String(search['q'] ?? ''));
  const queries = [...new Set([...own, ...asked])].filter((each) => each !== '').slice(0, Math.max(ASKED, own.length));
  const { data, error } = useQuery({
    queryKey: ['compare-all', sides, queries, primaryKey],
    queryFn: () =>
      Promise.all(
        queries.map(async (q) => {
          const answers = await Promise.all(sides.map((side) => answerOf(side, q)));
          return { q, ids: answers.map(({ hits }) => hits.map((hit) => String(hit[primaryKey]))) };
        }),
      ),
    placeholderData: keepPreviousData,
    retry: false,
  });
  if (queries.length === 0)
    return (
      <EmptyNote icon="list-checks" title="Nothing to compare over">
        Judge hits, or switch search analytics on: then the most frequent searches are compared too.
      </EmptyNote>
    );
  const rows = (data ?? []).map(({ q, ids }) => ({
    q,
    gains: ids.map((each) => ndcg(each, gradesOf(judged, uid, q), judged.k)),
    isSame: ids[0]!.join('\n') === ids[1]!.join('\n'),
  }));
  return (
    <Panel title="Over judged and frequent searches" label="Over all searches" gap="sm" className="overall">
      {error !== null && <FaultNote fault={error} />}
      <Table.ScrollContainer minWidth={280} scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}>
        <Table>
          <TableHead names={['Words', 'A', 'B', 'Hits']} />
          <Table.Tbody>
            {rows.map(({ q, gains, isSame }) => (
              <Table.Tr key={q}>
                <Table.Td>
                  <Button variant="subtle" size="compact-sm" onClick={() => onChoose(q)}>
                    {q}
                  </Button>
                </Table.Td>
                {gains.map((gain, at) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: the two sides
                  <Table.Td key={at} className="number">
                    {gain === null ? '–' : gain.toFixed(3)}
                  </Table.Td>
                ))}
                <Table.Td>{isSame ? 'the same' : 'differ'}</Table.Td>
              </Table.Tr>
            ))}
            <Table.Tr>
              <Table.Th>Mean of the judged</Table.Th>
              {[0, 1].map((at) => (
                <Table.Th key={at} className="number">
                  {meanOf(rows.map(({ gains }) => gains[at]!))?.toFixed(3) ?? '–'}
                </Table.Th>
              ))}
              <Table.Td>{rows.filter(({ isSame }) => !isSame).length} differ</Table.Td>
            </Table.Tr>
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </Panel>
  );
}

/** The searches that this browser keeps, the most frequent first. */
function recordedOf(uid: string): string[] {
  const counts = new Map<string, number>();
  for (const search of recordedSearches())
    if (search.uid === uid) counts.set(search.q, (counts.get(search.q) ?? 0) + 1);
  return [...counts].sort(([, left], [, right]) => right - left).map(([q]) => q);
}

interface FileProps {
  readonly file: ReturnType<typeof storedJudged>;
  readonly onChange: (file: ReturnType<typeof storedJudged>) => void;
}
/** Keeps what was judged in a file, which `fossick relevance` runs, and takes such a file. */
function JudgedFileButtons({ file, onChange }: FileProps) {
  const input = useRef<HTMLInputElement>(null);
  const save = (): void =>
    saveFile('judged.json', new Blob([`${JSON.stringify(file, null, 2)}\n`], { type: 'application/json' }));
  const open = async (chosen: File | undefined): Promise<void> => {
    if (chosen === undefined) return;
    try {
      const read = parseJudged(await chosen.text());
      onChange(read);
      notify(`${read.searches.length} judged searches are read`);
    } catch (fault) {
      notifyFault(fault as Error, chosen.name);
    }
  };
  return (
    <>
      <input
        ref={input}
        type="file"
        accept=".json"
        hidden
        aria-label="File of judged searches"
        onChange={({ currentTarget }) => {
          open(currentTarget.files?.[0]);
          currentTarget.value = '';
        }}
      />
      <Button variant="default" onClick={() => input.current?.click()}>
        Open judged
      </Button>
      <Button onClick={save} disabled={file.searches.length === 0}>
        Save judged
      </Button>
    </>
  );
}
