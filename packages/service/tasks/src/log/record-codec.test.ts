import { describe, expect, it } from 'vitest';
import type { TaskContent } from '../task/content.js';
import type { Batch, Task } from '../task/task.js';
import { decodeTaskRecord, encodeTaskRecord } from './record-codec.js';
import type { LogOperation, TaskChangesRecord, TasksRecord } from './records.js';

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
const creation = { type: 'indexCreation', indexUid: 'a', primaryKey: null } as const;
const addition = {
  type: 'documentAdditionOrUpdate',
  indexUid: 'a',
  method: 'replace',
  primaryKey: 'id',
  payloadFile: '/some/folder/7.ndjson',
  payloadBytes: 3,
  documentCount: 1,
  allowIndexCreation: true,
  skipCreation: false,
} as const;
const task: Task = {
  uid: 5,
  batchUid: null,
  content: creation,
  status: 'enqueued',
  canceledBy: null,
  resultDetails: null,
  error: null,
  enqueuedAt: 1,
  startedAt: null,
  finishedAt: null,
};
const batch: Batch = {
  uid: 2,
  details: { primaryKey: null },
  stats: { totalNbTasks: 1, status: { succeeded: 1 }, types: { indexCreation: 1 }, indexUids: { a: 1 } },
  startedAt: 2,
  finishedAt: 3,
  strategy: 's',
};

/** Bytes of records that a log may contain: a node of any later version must read them. */
describe('the bytes of format 1', () => {
  it('of new tasks are these, and read back', () => {
    const record: TasksRecord = {
      kind: 'tasks',
      entries: [
        { enqueuedAt: 1_790_000_000_000_000, content: creation, extras: { customMetadata: 'm' } },
        {
          enqueuedAt: 9,
          content: addition,
          extras: {},
          payload: { kind: 'inline', bytes: Buffer.of(123, 125, 10) },
        },
        { enqueuedAt: 9, content: addition, extras: {}, payload: { kind: 'object', key: 'payloads/7.ndjson' } },
      ],
    };
    expect(hex(encodeTaskRecord(record))).toBe(GOLDEN_TASKS);
    const stored = { ...addition, payloadFile: '7.ndjson' };
    expect(decodeTaskRecord('tasks', Buffer.from(GOLDEN_TASKS, 'hex'))).toEqual({
      ...record,
      entries: [
        record.entries[0],
        { ...record.entries[1], content: stored },
        { ...record.entries[2], content: stored },
      ],
    });
  });

  it('of changes are these, and read back', () => {
    const operations: LogOperation[] = [
      { kind: 'putTask', task },
      { kind: 'changeTasks', uids: [1, 300], change: { status: 'failed', error: { code: 'c', message: 'm' } } },
      { kind: 'deleteTasks', uids: Array.from({ length: 40 }, (_, at) => at * 2) },
      { kind: 'putBatch', batch },
      { kind: 'deleteBatches', uids: [4] },
      { kind: 'skipTo', counter: 'next-task', uid: 70_000 },
      { kind: 'renameHistory', names: [['a', 'b']], before: 5 },
      { kind: 'noteAttempt', attempt: { id: 1, process: 'p', running: [5], waiting: [], isTrial: false } },
      { kind: 'noteAttempt', attempt: null },
    ];
    const record: TaskChangesRecord = { kind: 'task-changes', operations };
    expect(hex(encodeTaskRecord(record))).toBe(GOLDEN_CHANGES);
    expect(decodeTaskRecord('task-changes', Buffer.from(GOLDEN_CHANGES, 'hex'))).toEqual(record);
  });

  it('of another format are refused by its number', () => {
    expect(() => decodeTaskRecord('tasks', Uint8Array.of(2, 144))).toThrow('a record of tasks has format 2, not 1');
    expect(() => decodeTaskRecord('tasks', Uint8Array.of())).toThrow(RangeError);
  });
});

it('many uids are a bitmap of less than two bytes each', () => {
  const uids = Array.from({ length: 100_000 }, (_, at) => 3_000_000 + at);
  const record: TaskChangesRecord = { kind: 'task-changes', operations: [{ kind: 'deleteTasks', uids }] };
  const bytes = encodeTaskRecord(record);
  expect(bytes.length).toBeLessThan(2 * uids.length);
  expect(decodeTaskRecord('task-changes', bytes)).toEqual(record);
});

it('long settings stay text, which is not parsed on the way', () => {
  const settings = {
    synonyms: Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`word${at}`, ['other']])),
  };
  const content: TaskContent = { type: 'settingsUpdate', indexUid: 'a', settings, allowIndexCreation: true };
  const bytes = encodeTaskRecord({ kind: 'tasks', entries: [{ enqueuedAt: 1, content, extras: {} }] });
  const record = decodeTaskRecord('tasks', bytes) as TasksRecord;
  const read = record.entries[0]!.content as { readonly settingsText?: string };
  expect(read.settingsText).toBe(JSON.stringify(settings));
  expect(hex(encodeTaskRecord(record))).toBe(hex(bytes));
  expect(record.entries[0]!.content).toMatchObject({ settings });
});

const GOLDEN_TASKS = [
  '019383aa656e7175657565644174cb43196ffb68978000a7636f6e74656e7483a474797065ad696e6465784372656174696f',
  '6ea8696e646578556964a161aa7072696d6172794b6579c0a665787472617381ae637573746f6d4d65746164617461a16d84',
  'aa656e717565756564417409a7636f6e74656e7489a474797065b8646f63756d656e744164646974696f6e4f725570646174',
  '65a8696e646578556964a161a66d6574686f64a77265706c616365aa7072696d6172794b6579a26964ab7061796c6f616446',
  '696c65a8372e6e646a736f6eac7061796c6f6164427974657303ad646f63756d656e74436f756e7401b2616c6c6f77496e64',
  '65784372656174696f6ec3ac736b69704372656174696f6ec2a665787472617380a77061796c6f616482a46b696e64a6696e',
  '6c696e65a56279746573c4037b7d0a84aa656e717565756564417409a7636f6e74656e7489a474797065b8646f63756d656e',
  '744164646974696f6e4f72557064617465a8696e646578556964a161a66d6574686f64a77265706c616365aa7072696d6172',
  '794b6579a26964ab7061796c6f616446696c65a8372e6e646a736f6eac7061796c6f6164427974657303ad646f63756d656e',
  '74436f756e7401b2616c6c6f77496e6465784372656174696f6ec3ac736b69704372656174696f6ec2a665787472617380a7',
  '7061796c6f616482a46b696e64a66f626a656374a36b6579b17061796c6f6164732f372e6e646a736f6e',
].join('');
const GOLDEN_CHANGES = [
  '019982a46b696e64a77075745461736ba47461736b8aa375696405a86261746368556964c0a7636f6e74656e7483a4747970',
  '65ad696e6465784372656174696f6ea8696e646578556964a161aa7072696d6172794b6579c0a6737461747573a8656e7175',
  '65756564aa63616e63656c65644279c0ad726573756c7444657461696c73c0a56572726f72c0aa656e717565756564417401',
  'a9737461727465644174c0aa66696e69736865644174c083a46b696e64ab6368616e67655461736b73a4756964739201cd01',
  '2ca66368616e676582a6737461747573a66661696c6564a56572726f7282a4636f6465a163a76d657373616765a16d82a46b',
  '696e64ab64656c6574655461736b73a475696473c4603a300000010000000000270010000000000002000400060008000a00',
  '0c000e00100012001400160018001a001c001e00200022002400260028002a002c002e00300032003400360038003a003c00',
  '3e00400042004400460048004a004c004e0082a46b696e64a87075744261746368a5626174636886a375696402a764657461',
  '696c7381aa7072696d6172794b6579c0a5737461747384ac746f74616c4e625461736b7301a673746174757381a973756363',
  '656564656401a5747970657381ad696e6465784372656174696f6e01a9696e6465785569647381a16101a973746172746564',
  '417402aa66696e6973686564417403a87374726174656779a17382a46b696e64ad64656c65746542617463686573a4756964',
  '73910483a46b696e64a6736b6970546fa7636f756e746572a96e6578742d7461736ba3756964ce0001117083a46b696e64ad',
  '72656e616d65486973746f7279a56e616d65739192a161a162a66265666f72650582a46b696e64ab6e6f7465417474656d70',
  '74a7617474656d707485a2696401a770726f63657373a170a772756e6e696e679105a777616974696e6790a7697354726961',
  '6cc282a46b696e64ab6e6f7465417474656d7074a7617474656d7074c0',
].join('');
