import { describe, expect, it } from 'vitest';
import { eventsOf, type TalkPart, withEvent } from './talk.js';

const called = (name: string, context: unknown) => ({ function: { name, arguments: JSON.stringify(context) } });

describe('a conversation', () => {
  it('receives texts, searches, sources and history', () => {
    const delta = {
      content: 'So: ',
      tool_calls: [
        called('_serviceSearchProgress', { function_parameters: '{"index_uid":"films","q":"harbour","filter":null}' }),
        called('_serviceSearchSources', { documents: [{ id: 1 }] }),
        called('_serviceAppendConversationMessage', { role: 'tool', content: 'x' }),
        called('anotherTool', {}),
      ],
    };
    expect(eventsOf(delta)).toEqual([
      { kind: 'search', uid: 'films', q: 'harbour', filter: '' },
      { kind: 'sources', documents: [{ id: 1 }] },
      { kind: 'keep', message: { role: 'tool', content: 'x' } },
      { kind: 'text', text: 'So: ' },
    ]);
  });

  it('takes no harm from what a model writes', () => {
    const search = called('_serviceSearchProgress', { function_parameters: 'no JSON' });
    expect(
      eventsOf({
        content: null,
        tool_calls: [search, { function: { name: '_serviceSearchSources', arguments: '{' } }],
      }),
    ).toEqual([
      { kind: 'search', uid: '', q: '', filter: '' },
      { kind: 'sources', documents: [] },
    ]);
  });

  it('grows by pieces of an answer', () => {
    let parts: readonly TalkPart[] = [{ kind: 'question', text: '?' }];
    parts = withEvent(parts, { kind: 'text', text: 'One' });
    parts = withEvent(parts, { kind: 'text', text: ', two' });
    parts = withEvent(parts, { kind: 'search', uid: 'films', q: 'a', filter: '' });
    parts = withEvent(parts, { kind: 'sources', documents: [] });
    parts = withEvent(parts, { kind: 'text', text: 'Three' });
    expect(parts.slice(1)).toEqual([
      { kind: 'answer', text: 'One, two' },
      { kind: 'search', uid: 'films', q: 'a', filter: '' },
      { kind: 'sources', uid: 'films', documents: [] },
      { kind: 'answer', text: 'Three' },
    ]);
  });
});
