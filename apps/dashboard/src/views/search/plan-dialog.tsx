import { Button, Modal, Stack, Table, Text, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { call } from '../../api/client.js';
import type { SearchAnswer } from '../../api/types.js';
import { FaultNote } from '../../parts/fault-note.js';
import { countOf, formatCount } from '../../parts/figures/numbers.js';
import { TableHead } from '../../parts/table-head.js';
import { plainSearchOf } from './search-code.js';
import type { SearchState } from './search-state.js';

type Plan = NonNullable<SearchAnswer['plan']>;
type PlannedQuery = Plan['queries'][number];
interface Props {
  readonly uid: string;
  readonly state: SearchState;
  readonly facets: readonly string[];
}

/** How the search as it is set now is planned, and what its rules did. */
export function PlanDialog(props: Props) {
  const [isOpen, { open, close }] = useDisclosure(false);
  return (
    <>
      <Button variant="subtle" size="compact-sm" color="gray" onClick={open}>
        How is this ranked?
      </Button>
      <Modal opened={isOpen} onClose={close} title="Plan of this search" size="xl">
        <PlanOfSearch {...props} />
      </Modal>
    </>
  );
}

function PlanOfSearch({ uid, state, facets }: Props) {
  const body = { ...plainSearchOf(state, facets), explain: true };
  const { data, error } = useQuery({
    queryKey: ['plan', uid, body],
    queryFn: () => call<SearchAnswer>('POST', `/indexes/${encodeURIComponent(uid)}/search`, { body }),
  });
  if (error !== null) return <FaultNote fault={error} />;
  const plan = data?.plan;
  return (
    <Stack>
      <Text size="sm">{plan === undefined ? ' ' : needsOf(plan)}</Text>
      {plan?.queries.map((query, at) => (
        // queries have no name, and their order does not change
        <QueryTables key={String(at)} query={query} />
      ))}
    </Stack>
  );
}

const needsOf = ({ needs: { ranked, found }, filtered }: Plan): string => {
  const rank = ranked === null ? 'the order of all documents found' : `the best ${countOf(ranked, 'document')}`;
  const find = found === null ? 'all documents that match' : `up to ${formatCount(found)} documents that match`;
  return `The search may find ${countOf(filtered, 'document')}. Its answer needs ${rank}, and ${find}.`;
};

function QueryTables({ query }: { readonly query: PlannedQuery }) {
  const { byVector, found, foundAll, ranked, settledRules, terms, rules } = query;
  const more = foundAll ? '' : ' These are enough: words with typos were not looked for.';
  const settled = settledRules.length === 0 ? '' : ` All of these are equal by ${settledRules.join(' and ')}.`;
  return (
    <section>
      <Title order={3} size="h5">
        {byVector ? 'By vector' : 'By words'}
      </Title>
      <Text size="sm" mb="xs">
        {countOf(found, 'document')} found, {formatCount(ranked)} ranked.{more}
        {settled}
      </Text>
      {terms.length > 0 && (
        <Table>
          <TableHead names={['Word', 'Typos', 'Documents found that match']} />
          <Table.Tbody>
            {terms.map(({ text, kind, isPrefix, typos, documents }, at) => (
              // a query may have a word twice
              <Table.Tr key={`${at} ${text}`}>
                <Table.Td>{kind === 'phrase' ? `“${text}”` : `${text}${isPrefix ? '…' : ''}`}</Table.Td>
                <Table.Td className="number">{typos}</Table.Td>
                <Table.Td>
                  {Object.entries(documents)
                    .map(([way, count]) => `${WAYS[way] ?? way} ${formatCount(count)}`)
                    .join(', ')}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
      <Table mt="xs">
        <TableHead names={['Rule', 'Buckets divided', 'Their documents', 'Buckets made']} />
        <Table.Tbody>
          {rules.map(({ rule, starts, divided, buckets }) => (
            <Table.Tr key={rule}>
              <Table.Td>{rule}</Table.Td>
              {[starts, divided, buckets].map((count, at) => (
                <Table.Td key={String(at)} className="number">
                  {formatCount(count)}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </section>
  );
}

const WAYS: Readonly<Record<string, string>> = {
  exact: 'as typed',
  prefix: 'longer words',
  synonym: 'synonyms',
  substring: 'within words',
  oneTypo: 'one typo',
  twoTypos: 'two typos',
};
