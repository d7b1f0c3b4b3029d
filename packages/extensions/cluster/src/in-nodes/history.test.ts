import { describe, expect, it } from 'vitest';
import { type NodeView, type Operation, violations } from './history.test-support.js';

const operation = (opId: string, uid: number | undefined, more: Partial<Operation> = {}): Operation => ({
  ...{ opId, documentId: 1, node: 'a', sentMs: (uid ?? 0) * 10, answeredMs: (uid ?? 0) * 10 + 5 },
  ...{ status: uid === undefined ? 0 : 202, uid },
  ...more,
});
const task = (uid: number, customMetadata: string, status = 'succeeded') => ({
  ...{ uid, status, customMetadata, type: 'documentAdditionOrUpdate' },
});
const view = (name: string, more: Partial<NodeView> = {}): NodeView => ({
  name,
  tasks: [task(0, 'x'), task(1, 'y')],
  documents: { 1: 'y' },
  ...more,
});
const sent = [operation('x', 0), operation('y', 1)];

it('a sound history has no violations, whatever became of requests without an answer', () => {
  expect(violations(sent, [view('a'), view('b')])).toEqual([]);
  expect(violations([...sent, operation('z', undefined)], [view('a'), view('b')])).toEqual([]);
  const withZ = { tasks: [task(0, 'x'), task(1, 'y'), task(2, 'z')], documents: { 1: 'z' } };
  expect(violations([...sent, operation('z', undefined)], [view('a', withZ), view('b', withZ)])).toEqual([]);
});

describe('finds a planted fault', () => {
  it.each<[fault: string, operations: readonly Operation[], views: readonly NodeView[], found: RegExp]>([
    ['a lost task', [...sent, operation('z', 2)], [view('a')], /acknowledged as task 2 and is lost/],
    [
      'a task that is done twice',
      sent,
      [view('a', { tasks: [task(0, 'x'), task(1, 'y'), task(2, 'x')], documents: { 1: 'x' } })],
      /done as task 0 and 2/,
    ],
    [
      'another number than the answer said',
      [operation('x', 1), operation('y', 0)],
      [view('a')],
      /acknowledged as task 1/,
    ],
    [
      'a gap',
      [operation('x', 0), operation('y', 2)],
      [view('a', { tasks: [task(0, 'x'), task(2, 'y')] })],
      /task 1 is missing/,
    ],
    [
      'an order that clients can tell',
      [operation('x', 0, { sentMs: 100, answeredMs: 105 }), operation('y', 1)],
      [view('a')],
      /task 0, and 1 was answered before/,
    ],
    ['nodes with other tasks', sent, [view('a'), view('b', { tasks: [task(0, 'x')] })], /b shows other tasks/],
    ['nodes with other documents', sent, [view('a'), view('b', { documents: { 1: 'x' } })], /b shows other documents/],
    ['a document of an older task', sent, [view('a', { documents: { 1: 'x' } })], /where its tasks make/],
    [
      'a task that did not end',
      sent,
      [view('a', { tasks: [task(0, 'x'), task(1, 'y', 'processing')] })],
      /1 is processing/,
    ],
    ['a task that nobody asked for', [operation('x', 0)], [view('a', { documents: { 1: 'x' } })], /y was never sent/],
  ])('%s', (_fault, operations, views, found) => {
    expect(violations(operations, views).join('\n')).toMatch(found);
  });
});
