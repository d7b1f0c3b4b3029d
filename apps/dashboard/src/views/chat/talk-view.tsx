import { ActionIcon, Button, Group, Loader, Text, Textarea } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { Link } from 'wouter';
import { useIndexes } from '../../api/queries.js';
import type { Document } from '../../api/types.js';
import { indexPath } from '../../parts/current-index.js';
import { EmptyNote } from '../../parts/empty-note.js';
import { shapeOf } from '../../parts/hit-shape.js';
import { Icon } from '../../parts/icon.js';
import { typed } from '../../parts/inputs/typed.js';
import { MarkdownText } from './markdown-text.js';
import { type TalkChoice, type TalkPart, useTalk } from './talk.js';

/** A conversation, and the input for the next message. */
export function Talk(choice: TalkChoice) {
  const { parts, isBusy, say, stop, clear } = useTalk(choice);
  const list = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: whatever is said last is to be in sight
  useEffect(() => list.current?.scrollTo({ top: list.current.scrollHeight }), [parts]);
  return (
    <section className="panel talk" aria-label="Conversation">
      <div className="talk-parts" aria-live="polite" ref={list}>
        {parts.length === 0 && (
          <EmptyNote icon="sparkles" title="What would you like to know?">
            {choice.model === '' ? 'Write the name of the model above first.' : 'Ask as you would ask a person.'}
          </EmptyNote>
        )}
        {parts.map((part, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a conversation only grows at its end
          <Part key={at} part={part} />
        ))}
        {isBusy && <Loader type="dots" size="sm" aria-label="The answer is on its way" />}
      </div>
      <QuestionForm {...{ isBusy, say, stop }} hasModel={choice.model.trim() !== ''} />
      {parts.length > 0 && !isBusy && (
        <Button size="compact-xs" variant="subtle" color="gray" onClick={clear} className="talk-clear">
          Begin anew
        </Button>
      )}
    </section>
  );
}

function QuestionForm({
  isBusy,
  hasModel,
  say,
  stop,
}: Pick<ReturnType<typeof useTalk>, 'isBusy' | 'say' | 'stop'> & { readonly hasModel: boolean }) {
  const [question, setQuestion] = useState('');
  const submit = async (): Promise<void> => {
    const text = question.trim();
    if (text === '' || isBusy || !hasModel) return;
    setQuestion('');
    if (!(await say(text))) setQuestion((now) => (now === '' ? text : now));
  };
  return (
    <form
      className="talk-form"
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <Textarea
        aria-label="Question"
        placeholder="Ask something"
        {...typed(question, setQuestion)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.shiftKey) return;
          event.preventDefault();
          void submit();
        }}
        autosize
        minRows={1}
        maxRows={6}
        className="talk-input"
      />
      {isBusy ? (
        <ActionIcon size={38} color="gray" variant="light" aria-label="Stop" onClick={stop}>
          <Icon name="square" size={16} />
        </ActionIcon>
      ) : (
        <ActionIcon size={38} type="submit" aria-label="Ask" disabled={question.trim() === '' || !hasModel}>
          <Icon name="send" />
        </ActionIcon>
      )}
    </form>
  );
}

function Part({ part }: { readonly part: TalkPart }) {
  switch (part.kind) {
    case 'question':
      return <div className="said said-question">{part.text}</div>;
    case 'answer':
      return (
        <div className="said said-answer">
          <MarkdownText text={part.text} />
        </div>
      );
    case 'fault':
      return (
        <div className="said said-fault" role="alert">
          {part.text}
        </div>
      );
    case 'search':
      return (
        <Group gap={6} className="talk-note">
          <Icon name="search" size={14} />
          <Text size="sm">
            Searching {part.uid} for “{part.q}”{part.filter === '' ? '' : ` where ${part.filter}`}
          </Text>
        </Group>
      );
    case 'sources':
      return <Sources uid={part.uid} documents={part.documents} />;
  }
}

function Sources({ uid, documents }: { readonly uid: string; readonly documents: readonly Document[] }) {
  const primaryKey = useIndexes().data?.results.find((index) => index.uid === uid)?.primaryKey ?? null;
  if (documents.length === 0)
    return (
      <Text size="sm" className="talk-note">
        Nothing found
      </Text>
    );
  return (
    <ul className="sources" aria-label="Sources">
      {documents.map((document, at) => {
        const { title } = shapeOf(document, primaryKey);
        const id = primaryKey === null ? undefined : document[primaryKey];
        const name = String((title === undefined ? undefined : document[title]) ?? id ?? `Source ${at + 1}`);
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: sources of one search have no other name than their place
          <li key={at}>
            {id === undefined ? (
              name
            ) : (
              <Link href={`${indexPath(uid, 'documents')}/${encodeURIComponent(String(id))}`}>{name}</Link>
            )}
          </li>
        );
      })}
    </ul>
  );
}
