import { ActionIcon, Badge, Button, Code, Collapse, CopyButton, Group, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'wouter';
import type { Document, Hit } from '../../api/types.js';
import { indexPath } from '../../parts/current-index.js';
import { pictureOf, shapeOf } from '../../parts/hit-shape.js';
import { Icon } from '../../parts/icon.js';
import { Highlight } from './highlight.js';
import { Ranking } from './ranking.js';

interface Props {
  readonly uid: string;
  readonly hit: Hit;
  readonly primaryKey: string | null;
  /** Its rank among all hits, from 1. */
  readonly rank: number;
  /** Whether hits have scores. */
  readonly isScored: boolean;
  readonly hasPictures: boolean;
  /** Called when the user opens the document. */
  readonly onOpen: () => void;
}
const MAX_TAGS = 8;

/** One hit as a card: title, content, and on demand its ranking details and the whole document. */
export function HitCard({ uid, hit, primaryKey, rank, isScored, hasPictures, onOpen }: Props) {
  const [shown, setShown] = useState<'nothing' | 'ranking' | 'json'>('nothing');
  const { _formatted: formatted = hit, _rankingScore: score, _rankingScoreDetails: _details, ...document } = hit;
  const { title, body, tags, facts } = shapeOf(document, primaryKey);
  const id = primaryKey === null ? undefined : document[primaryKey];
  const toggle = (what: 'ranking' | 'json') => setShown(shown === what ? 'nothing' : what);
  const picture = hasPictures ? pictureOf(document) : undefined;
  return (
    <article className="panel hit">
      {picture !== undefined && (
        <img src={picture} alt="" loading="lazy" referrerPolicy="no-referrer" className="hit-picture" />
      )}
      <Group justify="space-between" align="flex-start" wrap="nowrap" gap="sm">
        <Title order={3} className="hit-title">
          <Highlight text={title === undefined ? String(id ?? `Hit ${rank}`) : textOf(formatted[title])} />
        </Title>
        {score !== undefined && isScored && (
          <Badge variant="light" color="gray" className="number score" title="Ranking score, from 0 to 1">
            {score.toFixed(3)}
          </Badge>
        )}
      </Group>
      <Facts formatted={formatted} names={facts} />
      {body !== undefined && (
        <Text size="sm" mt={6} lineClamp={4}>
          <Highlight text={textOf(formatted[body])} />
        </Text>
      )}
      <Tags formatted={formatted} names={tags} />
      <Group gap={4} mt="xs" className="hit-buttons">
        <Button
          size="compact-sm"
          variant="subtle"
          color="gray"
          aria-expanded={shown === 'ranking'}
          leftSection={<Icon name="chart-column" size={15} />}
          onClick={() => toggle('ranking')}
        >
          Why this rank
        </Button>
        <Button
          size="compact-sm"
          variant="subtle"
          color="gray"
          aria-expanded={shown === 'json'}
          leftSection={<Icon name="braces" size={15} />}
          onClick={() => {
            if (shown !== 'json') onOpen();
            toggle('json');
          }}
        >
          JSON
        </Button>
        {id !== undefined && <EditLink uid={uid} id={String(id)} onOpen={onOpen} />}
      </Group>
      <Collapse expanded={shown !== 'nothing'}>
        <div className="hit-more">
          {shown === 'ranking' && <Ranking hit={hit} />}
          {shown === 'json' && <Json document={document} />}
        </div>
      </Collapse>
    </article>
  );
}

function EditLink({ uid, id, onOpen }: Pick<Props, 'uid' | 'onOpen'> & { readonly id: string }) {
  return (
    <Button
      component={Link}
      href={`${indexPath(uid, 'documents')}/${encodeURIComponent(id)}`}
      onClick={onOpen}
      size="compact-sm"
      variant="subtle"
      color="gray"
      leftSection={<Icon name="pencil" size={15} />}
    >
      Edit
    </Button>
  );
}

function Facts({ formatted, names }: { readonly formatted: Document; readonly names: readonly string[] }) {
  if (names.length === 0) return null;
  return (
    <dl className="facts">
      {names.map((name) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            <Highlight text={textOf(formatted[name])} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Tags({ formatted, names }: { readonly formatted: Document; readonly names: readonly string[] }) {
  return names.map((name) => {
    const values = Array.isArray(formatted[name]) ? (formatted[name] as unknown[]).map(String) : [];
    return (
      <div key={name} className="tags">
        <span className="tags-name">{name}</span>
        {values.slice(0, MAX_TAGS).map((value) => (
          <span key={value} className="tag">
            <Highlight text={value} />
          </span>
        ))}
        {values.length > MAX_TAGS && <span className="tags-name">and {values.length - MAX_TAGS} more</span>}
      </div>
    );
  });
}

function Json({ document }: { readonly document: Document }) {
  const text = JSON.stringify(document, null, 2);
  return (
    <div className="json">
      <CopyButton value={text}>
        {({ copied, copy }) => (
          <ActionIcon
            variant="default"
            onClick={copy}
            className="json-copy"
            aria-label={copied ? 'Copied' : 'Copy as JSON'}
          >
            <Icon name={copied ? 'check' : 'copy'} size={15} />
          </ActionIcon>
        )}
      </CopyButton>
      <Code block tabIndex={0}>
        {text}
      </Code>
    </div>
  );
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}
