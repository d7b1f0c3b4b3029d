import type { DocumentDeletion, TaskContent } from '@fossick/tasks';
import { EXTENSIONS } from '../extensions/extension-list.js';
import { taskKindsOf } from '../extensions/served-extensions.js';
import type { ModelDocument } from './index-model.test-support.js';

/** Pseudo-random numbers of a seed. */
export class Random {
  private state: number;

  constructor(state: number) {
    this.state = state;
  }

  /** In [0, 1), by mulberry32. */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }
  /** In 0 .. count - 1. */
  upTo(count: number): number {
    return Math.floor(this.next() * count);
  }
  of<T>(list: readonly T[]): T {
    return list[this.upTo(list.length)]!;
  }
}

/** A request that registers a task, and the task for the model. */
export interface Write {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly content: TaskContent;
  readonly documents?: readonly ModelDocument[];
}

/** Kinds of tasks of the extensions that there are. */
const ADDED_TYPES = new Set(taskKindsOf(EXTENSIONS).map(({ type }) => type));
/** Indexes that are created, removed, renamed and swapped. */
const NAMES = ['a', 'b', 'c'] as const;
/** The index that is never renamed: what a cancelation leaves of it does not depend on how far its tasks had come. */
export const STEADY = 'steady';

export interface WriteOptions {
  /** Tasks with uids below this may be deleted. */
  readonly endedBelow: number;
  /** An instance that does not answer. */
  readonly deadUrl: string;
}

/** A random task of any type that concerns indexes, or the queue itself. */
export function randomWrite(random: Random, { endedBelow, deadUrl }: WriteOptions): Write {
  const indexUid = random.of([...NAMES, STEADY, STEADY]);
  const path = `/indexes/${indexUid}`;
  const from = random.upTo(NAMES.length);
  const pair = [NAMES[from]!, NAMES[(from + 1 + random.upTo(2)) % NAMES.length]!] as const;
  const isRename = random.next() < 0.4;
  const selection = { taskUids: [], originalFilter: '' };
  const oldUid = random.upTo(Math.max(1, endedBelow));
  const kinds: readonly (readonly [weight: number, write: () => Write])[] = [
    [10, () => addition(random, indexUid)],
    [5, () => deletion(random, indexUid)],
    [3, () => edition(indexUid)],
    [2, () => settings(random, indexUid)],
    [2, () => creation(pair[0])],
    [
      1,
      () => ({ method: 'DELETE', path: `/indexes/${pair[0]}`, content: { type: 'indexDeletion', indexUid: pair[0] } }),
    ],
    [1, () => renaming(...pair)],
    [3, () => swap([...pair], isRename)],
    [1, () => ({ method: 'POST', path: `${path}/compact`, content: { type: 'indexCompaction', indexUid } })],
    ...(ADDED_TYPES.has('dumpCreation')
      ? [
          [1, (): Write => ({ method: 'POST', path: '/dumps', content: { type: 'dumpCreation' } })] as const,
          [1, (): Write => ({ method: 'POST', path: '/snapshots', content: { type: 'snapshotCreation' } })] as const,
        ]
      : []),
    ...(ADDED_TYPES.has('export') ? [[1, () => exporting(deadUrl)] as const] : []),
    [
      1,
      () => ({
        ...selected('POST', `/tasks/cancel?indexUids=${STEADY}`),
        content: { type: 'taskCancelation', ...selection },
      }),
    ],
    [1, () => ({ ...selected('DELETE', `/tasks?uids=${oldUid}`), content: { type: 'taskDeletion', ...selection } })],
  ];
  let at = random.upTo(kinds.reduce((sum, [weight]) => sum + weight, 0));
  for (const [weight, write] of kinds) {
    if (at < weight) return write();
    at -= weight;
  }
  throw new Error('the weights do not add up');
}

const selected = (method: string, path: string) => ({ method, path });

/** Creates an index whose documents have the key that the model infers. */
export function creation(indexUid: string): Write {
  const body = { uid: indexUid, primaryKey: 'id' };
  return { method: 'POST', path: '/indexes', body, content: { type: 'indexCreation', indexUid, primaryKey: 'id' } };
}

export function addition(random: Random, indexUid: string): Write {
  const documents = Array.from({ length: random.of([1, 1, 2, 5, 300]) }, (): ModelDocument => {
    const id = random.upTo(500);
    const side = random.next() < 0.5 ? { left: id % 3 } : { right: id % 5 };
    return { id, key: 1_000 + id, n: random.upTo(4), ...side };
  });
  const isReplacing = random.next() < 0.5;
  return {
    method: isReplacing ? 'POST' : 'PUT',
    path: `/indexes/${indexUid}/documents?primaryKey=id`,
    body: documents,
    documents,
    content: {
      type: 'documentAdditionOrUpdate',
      indexUid,
      method: isReplacing ? 'replace' : 'update',
      primaryKey: 'id',
      payloadFile: '',
      payloadBytes: 1,
      documentCount: documents.length,
      allowIndexCreation: true,
      skipCreation: false,
    },
  };
}

function deletion(random: Random, indexUid: string): Write {
  const path = `/indexes/${indexUid}/documents`;
  const of = (target: DocumentDeletion['target']): TaskContent => ({ type: 'documentDeletion', indexUid, target });
  const kind = random.upTo(5);
  if (kind === 0) return { method: 'DELETE', path, content: of({ by: 'all' }) };
  if (kind <= 2) {
    const filter = `n = ${random.upTo(4)}`;
    return { method: 'POST', path: `${path}/delete`, body: { filter }, content: of({ by: 'filter', filter }) };
  }
  const ids = Array.from({ length: 1 + random.upTo(20) }, () => random.upTo(500));
  return { method: 'POST', path: `${path}/delete-batch`, body: ids, content: of({ by: 'ids', ids: ids.map(String) }) };
}

/** Applying it twice gives another result than once. */
export function edition(indexUid: string): Write {
  const body = { function: 'doc.n = doc.n + 1' };
  const content = { type: 'documentEdition', indexUid, ...body, filter: null, context: null } as const;
  return { method: 'POST', path: `/indexes/${indexUid}/documents/edit`, body, content };
}

function settings(random: Random, indexUid: string): Write {
  const body = { filterableAttributes: random.next() < 0.7 ? ['n'] : [] };
  const content = { type: 'settingsUpdate', indexUid, settings: body, allowIndexCreation: true } as const;
  return { method: 'PATCH', path: `/indexes/${indexUid}/settings`, body, content };
}

function renaming(indexUid: string, newUid: string): Write {
  const content = { type: 'indexUpdate', indexUid, newUid } as const;
  return { method: 'PATCH', path: `/indexes/${indexUid}`, body: { uid: newUid }, content };
}

function swap(indexes: [string, string], rename: boolean): Write {
  const content = { type: 'indexSwap', swaps: [{ indexes, rename }] } as const;
  return { method: 'POST', path: '/swap-indexes', body: [{ indexes, rename }], content };
}

function exporting(url: string): Write {
  const rest = { apiKey: null, shownApiKey: null, payloadSize: null, payloadBytes: 1, indexes: {} };
  const content = { type: 'export' as const, url, ...rest };
  return { method: 'POST', path: '/export', body: { url }, content };
}
