import { Progress, Stack, Table, Text } from '@mantine/core';
import type { Hit, ScoreDetails } from '../../api/types.js';
import { TableHead } from '../../parts/table-head.js';

const EXPLANATIONS: Readonly<Record<string, string>> = {
  words: 'How many of the query’s words it holds',
  typo: 'How few typos were forgiven',
  proximity: 'How close together the words stand',
  attribute: 'In which attributes, and where in them',
  attributeRank: 'In how important an attribute',
  wordPosition: 'How near the beginning of an attribute',
  exactness: 'How exactly the words are matched',
  vectorSort: 'How near its meaning is to the query’s',
  score: 'What its score expression computes from its values',
  sort: 'The order you asked for',
};

/** Explains the rank of a hit: the rules in order, each with its score. */
export function Ranking({ hit }: { readonly hit: Hit }) {
  const rules = Object.entries(hit._rankingScoreDetails ?? {}).sort(([, left], [, right]) => left.order - right.order);
  if (rules.length === 0)
    return (
      <Text size="sm" c="dimmed">
        Without a query every document ranks the same, in the order of its arrival.
      </Text>
    );
  return (
    <Stack gap="xs">
      <Text size="sm" c="dimmed">
        Rules decide one after another: the next one only between hits that the ones before it found equal.
      </Text>
      <Table verticalSpacing={6} horizontalSpacing="xs" className="ranking">
        <TableHead names={['Rule', 'Score', 'Because']} />
        <Table.Tbody>
          {rules.map(([name, details]) => (
            <Rule key={name} name={name} details={details} />
          ))}
        </Table.Tbody>
      </Table>
    </Stack>
  );
}

function Rule({ name, details }: { readonly name: string; readonly details: ScoreDetails }) {
  const score = scoreOf(details);
  const kind = name.replace(/\(.*/, '');
  const explanation = EXPLANATIONS[kind] ?? (name.includes(':') ? EXPLANATIONS.sort : '');
  return (
    <Table.Tr>
      <Table.Td>
        <Text size="sm" fw={600}>
          {name.length > 40 && kind !== 'score' ? kind : name}
        </Text>
        <Text size="xs" c="dimmed">
          {explanation}
        </Text>
      </Table.Td>
      <Table.Td className="ranking-bar">
        {score === null ? (
          <Text size="sm">{String(details.value ?? '–')}</Text>
        ) : (
          <>
            <Progress value={score * 100} aria-label={`Score of ${kind}`} />
            <Text size="xs" ta="right" className="number">
              {score.toFixed(3)}
            </Text>
          </>
        )}
      </Table.Td>
      <Table.Td>
        <Text size="xs" c="dimmed">
          {reasonOf(details)}
        </Text>
      </Table.Td>
    </Table.Tr>
  );
}

function scoreOf(details: ScoreDetails): number | null {
  if (typeof details.score === 'number') return details.score;
  return typeof details.similarity === 'number' ? details.similarity : null;
}

/** The details of a rule that are not its score, in words. */
export function reasonOf({ order: _order, score: _score, value: _value, ...rest }: ScoreDetails): string {
  const { matchingWords, maxMatchingWords, typoCount, maxTypoCount, matchType, ...others } = rest as Record<
    string,
    unknown
  >;
  const reasons: string[] = [];
  if (matchingWords !== undefined) reasons.push(`${matchingWords} of ${maxMatchingWords} words`);
  if (typoCount !== undefined) reasons.push(`${typoCount} of ${maxTypoCount} possible typos`);
  if (matchType !== undefined)
    reasons.push(String(matchType).replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`));
  for (const [name, value] of Object.entries(others)) {
    const shown = typeof value === 'number' ? Number(value.toFixed(3)) : value;
    if (typeof shown !== 'object')
      reasons.push(`${name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)} ${shown}`);
  }
  return reasons.join(', ');
}
