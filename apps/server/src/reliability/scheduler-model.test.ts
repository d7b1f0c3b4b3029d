import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEngineReader } from '@fossick/index';
import { openEngineWriter } from '@fossick/index/writer';
import { openLocalChanges, RuleStore } from '@fossick/instance';
import { openMemoryStore } from '@fossick/storage';
import { createExecutor, openTaskLog, runScheduler, type Task, type TaskContent } from '@fossick/tasks';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { HAS_COPIES } from '../e2e/dumping-server.test-support.js';
import { EXTENSIONS } from '../extensions/extension-list.js';
import { taskKindsOf } from '../extensions/served-extensions.js';
import { heldIndexes, IndexModel, type ModelDocument, type ModelIndexes } from './index-model.test-support.js';
import { chosenRounds, isLongRun } from './rounds.test-support.js';

const NAMES = ['a', 'b', 'c'] as const;

/** A task to be: documents are written to a payload file, uids of others are made of what there is then. */
type Step =
  | { readonly kind: 'content'; readonly content: TaskContent; readonly documents?: readonly ModelDocument[] }
  | { readonly kind: 'cancel' | 'delete'; readonly shares: readonly number[] };

const name = fc.constantFrom(...NAMES);
const pair = fc.shuffledSubarray([...NAMES], { minLength: 2, maxLength: 2 }) as fc.Arbitrary<[string, string]>;
const key = fc.constantFrom(null, null, null, 'id', 'key');
const documents = fc.array(
  fc
    .record({ id: fc.nat(7), n: fc.nat(3), left: fc.boolean() })
    .map(({ id, n, left }): ModelDocument => ({ id, key: 100 + id, n, ...(left ? { left: n } : { right: n }) })),
  { minLength: 1, maxLength: 4 },
);
const content = (one: fc.Arbitrary<TaskContent>): fc.Arbitrary<Step> =>
  one.map((made) => ({ kind: 'content', content: made }));

const addition: fc.Arbitrary<Step> = fc
  .record({
    indexUid: name,
    method: fc.constantFrom('replace', 'update'),
    primaryKey: key,
    right: fc.boolean(),
    documents,
  })
  .map(({ right, documents: sent, ...rest }) => ({
    kind: 'content',
    documents: sent,
    content: {
      type: 'documentAdditionOrUpdate',
      ...rest,
      payloadFile: '',
      payloadBytes: 1,
      documentCount: sent.length,
      allowIndexCreation: right,
      skipCreation: false,
    } as TaskContent,
  }));
const target = fc.oneof(
  fc.array(fc.nat(7), { minLength: 1, maxLength: 4 }).map((ids) => ({ by: 'ids', ids: ids.map(String) }) as const),
  fc.nat(3).map((n) => ({ by: 'filter', filter: `n = ${n}` }) as const),
  fc.constant({ by: 'all' } as const),
);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: addition },
  {
    weight: 4,
    arbitrary: content(fc.record({ type: fc.constant('documentDeletion'), indexUid: name, target })),
  },
  {
    weight: 2,
    arbitrary: content(
      name.map((indexUid) => ({
        type: 'documentEdition',
        indexUid,
        function: 'doc.n = doc.n + 1',
        filter: null,
        context: null,
      })),
    ),
  },
  {
    weight: 3,
    arbitrary: content(
      fc.record({ indexUid: name, right: fc.boolean(), isFilterable: fc.boolean() }).map((made) => ({
        type: 'settingsUpdate',
        indexUid: made.indexUid,
        settings: { filterableAttributes: made.isFilterable ? ['n'] : [] },
        allowIndexCreation: made.right,
      })),
    ),
  },
  {
    weight: 2,
    arbitrary: content(fc.record({ type: fc.constant('indexCreation'), indexUid: name, primaryKey: key })),
  },
  { weight: 1, arbitrary: content(fc.record({ type: fc.constant('indexDeletion'), indexUid: name })) },
  {
    weight: 1,
    arbitrary: content(
      fc.record({ type: fc.constant('indexUpdate'), indexUid: name, primaryKey: fc.constantFrom('id', 'key') }),
    ),
  },
  {
    weight: 2,
    arbitrary: content(pair.map(([indexUid, newUid]) => ({ type: 'indexUpdate', indexUid, newUid }))),
  },
  {
    weight: 3,
    arbitrary: content(
      fc.record({ indexes: pair, rename: fc.boolean() }).map((swap) => ({ type: 'indexSwap', swaps: [swap] })),
    ),
  },
  { weight: 1, arbitrary: content(fc.record({ type: fc.constant('indexCompaction'), indexUid: name })) },
  ...(HAS_COPIES
    ? [{ weight: 1, arbitrary: content(fc.constantFrom({ type: 'dumpCreation' }, { type: 'snapshotCreation' })) }]
    : []),
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constantFrom('cancel', 'delete'),
      shares: fc.array(fc.double({ min: 0, max: 0.999, noNaN: true }), { minLength: 1, maxLength: 3 }),
    }),
  },
);
/** What comes in between two batches. The queue grows long first, so that there is something to be batched. */
const groups = fc.array(fc.array(step, { minLength: 1, maxLength: 12 }), { minLength: 1, maxLength: 5 });

interface Ran {
  readonly tasks: readonly Task[];
  /** Tasks of each batch that came to its end. */
  readonly batches: readonly (readonly number[])[];
  /** The batch in which the executor last got a task. */
  readonly begun: ReadonlyMap<number, readonly Task[]>;
  readonly documents: ReadonlyMap<number, readonly ModelDocument[]>;
  readonly indexes: ModelIndexes;
}

/** Runs the tasks with the real scheduler, executor and engine; every group comes in while a batch runs. */
async function runQueue(incoming: readonly (readonly Step[])[]): Promise<Ran> {
  const folder = mkdtempSync(join(tmpdir(), 'fossick-model-'));
  const engine = { rootFolder: join(folder, 'data'), maxSearchBytes: 4 << 20 };
  const [writer, reader] = [openEngineWriter(engine), openEngineReader(engine)];
  const log = openTaskLog(openMemoryStore(), { kinds: taskKindsOf(EXTENSIONS) });
  const sent = new Map<number, readonly ModelDocument[]>();
  /** As they were last seen: a deletion of tasks takes them out of the log. */
  const tasks = new Map<number, Task>();
  const register = (one: Step): void => {
    const count = tasks.size;
    if (one.kind !== 'content') {
      const uids = one.shares.map((share) => Math.floor(share * count));
      const type = one.kind === 'cancel' ? 'taskCancelation' : 'taskDeletion';
      const task = log.enqueue(log.selection(type, { uids }, '?uids'));
      tasks.set(task.uid, task);
      return;
    }
    const payloadFile = join(folder, `${count}.ndjson`);
    if (one.documents !== undefined)
      writeFileSync(payloadFile, one.documents.map((document) => JSON.stringify(document)).join('\n'));
    const isAddition = one.content.type === 'documentAdditionOrUpdate';
    const task = log.enqueue(isAddition ? ({ ...one.content, payloadFile } as TaskContent) : one.content);
    tasks.set(task.uid, task);
    if (one.documents !== undefined) sent.set(task.uid, one.documents);
  };
  const left = [...incoming];
  const takeGroup = (): void => left.shift()?.forEach(register);
  const rules = openMemoryStore();
  const inner = createExecutor({
    writer,
    rules: new RuleStore(rules, openLocalChanges(rules)),
    indexExists: (uid) => reader.index(uid) !== undefined,
    maxIndexingBytes: 64 << 20,
    isMoreWaiting: () => false,
    runAdded: async (tasks) => tasks.map(() => ({ status: 'succeeded' })),
  });
  takeGroup();
  const batches: number[][] = [];
  const begun = new Map<number, readonly Task[]>();
  const faults: unknown[] = [];
  const scheduler = runScheduler({
    log,
    findIndex: (uid) => reader.index(uid),
    onFault: (error) => faults.push(error),
    onCommit: (finished) => {
      for (const task of finished.tasks) tasks.set(task.uid, task);
      batches.push(finished.tasks.map(({ uid }) => uid));
    },
    executor: {
      execute: (running, context) => {
        takeGroup();
        for (const task of running.tasks) begun.set(task.uid, running.tasks);
        return inner.execute(running, context);
      },
    },
  });
  try {
    while (left.length > 0 || log.uids({ statuses: ['enqueued', 'processing'] }).length > 0) {
      await new Promise((resolve) => setTimeout(resolve, 1));
      if (log.uids({ statuses: ['enqueued', 'processing'] }).length > 0) continue;
      takeGroup();
      scheduler.wake();
    }
    await scheduler.stop();
    expect(faults).toEqual([]);
    return { tasks: [...tasks.values()], batches, begun, documents: sent, indexes: heldIndexes(reader) };
  } finally {
    await scheduler.stop();
    await reader.close();
    await writer.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

it('leaves what doing the tasks one by one in their order leaves, and does each once', async () => {
  await fc.assert(
    fc.asyncProperty(groups, async (incoming) => {
      const ran = await runQueue(incoming);
      const model = new IndexModel();
      const ended = new Map<number, number>();
      for (const uid of ran.batches.flat()) ended.set(uid, (ended.get(uid) ?? 0) + 1);
      expect([...ended].filter(([, times]) => times !== 1)).toEqual([]);
      expect(ended.size).toBe(ran.tasks.length);
      const batchOf = new Map(
        ran.batches.flatMap((uids) => uids.map((uid) => [uid, uids.map((one) => ran.tasks[one]!)] as const)),
      );
      for (const task of ran.tasks) {
        if (task.status === 'canceled') {
          model.cancel(task, ran.begun.get(task.uid) ?? []);
          continue;
        }
        const expected = model.apply(task, batchOf.get(task.uid)!, ran.documents.get(task.uid) ?? []);
        if (expected !== undefined)
          expect([task.uid, task.content.type, task.error?.code ?? 'succeeded']).toEqual([
            task.uid,
            task.content.type,
            expected,
          ]);
      }
      expect(ran.indexes).toEqual(model.indexes);
    }),
    { numRuns: chosenRounds(30, 2_000), interruptAfterTimeLimit: isLongRun ? 3_600_000 : 15_000 },
  );
}, 3_700_000);
