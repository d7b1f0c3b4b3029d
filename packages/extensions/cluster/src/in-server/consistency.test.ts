import { createHmac } from 'node:crypto';
import { openLocalChanges } from '@fossick/instance';
import { type ApiKey, Guard, KeyStore } from '@fossick/instance/access';
import { admittingApp } from '@fossick/server/extensions/admitting-app.test-support';
import { openMemoryStore } from '@fossick/storage';
import { expect, it } from 'vitest';
import { admitRequest } from '../consistency.js';

const MASTER_KEY = 'a master key of a node';
const key = (more: Partial<ApiKey>): ApiKey => ({
  uid: '6062abda-a5aa-4414-ac91-ecd7944c0f8d',
  name: null,
  description: null,
  actions: ['search'],
  indexes: ['*'],
  expiresAt: null,
  createdAt: '2026-01-01T00:00:00Z',
  updatedAt: '2026-01-01T00:00:00Z',
  ...more,
});
const base64 = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** A node whose log is at 120, with a route that needs a key and one that does not. */
async function startNode(hasKeys: boolean) {
  const store = openMemoryStore();
  const keys = await KeyStore.open(store, openLocalChanges(store), MASTER_KEY);
  const old = '7062abda-a5aa-4414-ac91-ecd7944c0f8d';
  await keys.add(key({}));
  await keys.add(key({ uid: old, expiresAt: '2026-01-02T00:00:00Z' }));
  const guard = new Guard(hasKeys ? keys : undefined);
  const asked: string[] = [];
  const node = {
    position: 120,
    silentMs: 0,
    refusesStale: false,
    reaches: async (position: number) => {
      asked.push(`reaches ${position}`);
      return position <= 120;
    },
    caughtUp: async () => void asked.push('caughtUp'),
  };
  const app = admittingApp((request) => admitRequest(node, request), guard);
  const value = (uid: string): string => createHmac('sha256', MASTER_KEY).update(uid).digest('hex');
  const token = (claims: object, secret = value(key({}).uid)): string => {
    const text = `${base64({ alg: 'HS256', typ: 'JWT' })}.${base64({ apiKeyUid: key({}).uid, searchRules: ['*'], ...claims })}`;
    return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
  };
  return { app, asked, value, token, old };
}

const CONSISTENCY_HEADERS: readonly Record<string, string>[] = [
  { 'x-fossick-min-position': '1' },
  { 'x-fossick-min-position': '120' },
  { 'x-fossick-min-position': '1000' },
  { 'x-fossick-min-position': 'soon' },
  { 'x-fossick-consistency': 'strong' },
  { 'x-fossick-min-position': '1000', 'x-fossick-consistency': 'strong' },
];

it('who has no valid key waits for nothing, asks for nothing, and learns no position', async () => {
  const { app, asked, value, token, old } = await startNode(true);
  const strangers: readonly [string | undefined, number][] = [
    [undefined, 401],
    ['', 401],
    ['Basic YTpi', 401],
    ['Bearer', 403],
    ['Bearer  ', 403],
    ['Bearer x', 403],
    [`Bearer ${'f'.repeat(64)}`, 403],
    [`Bearer ${MASTER_KEY} `.replace('master', 'Master'), 403],
    [`Bearer ${value(old)}`, 403],
    [`Bearer ${value(MASTER_KEY)}`, 403],
    [`Bearer ${token({ exp: 1 })}`, 403],
    [`Bearer ${token({}, 'another secret')}`, 403],
    [`Bearer ${token({ aud: 'x' })}`, 403],
  ];
  for (const [authorization, status] of strangers)
    for (const method of ['GET', 'POST', 'DELETE'] as const)
      for (const header of [{}, ...CONSISTENCY_HEADERS]) {
        const headers = { ...header, ...(authorization === undefined ? {} : { authorization }) };
        const answer = await app.inject({ method, url: '/indexes', headers });
        expect([authorization, header, answer.statusCode]).toEqual([authorization, header, status]);
        expect(answer.headers['x-fossick-position']).toBeUndefined();
        expect(answer.payload).not.toContain('120');
        const open = await app.inject({ method: 'GET', url: '/health', headers });
        expect([open.statusCode, open.headers['x-fossick-position']]).toEqual([200, undefined]);
      }
  expect(asked).toEqual([]);
});

it.each([
  ['the master key', true, () => MASTER_KEY],
  ['a key', true, ({ value }: Node) => value(key({}).uid)],
  ['a token', true, ({ token }: Node) => token({})],
  ['nothing, where no key is needed', false, () => ''],
])('%s has its consistency headers obeyed', async (_, hasKeys, bearer) => {
  const node = await startNode(hasKeys);
  const authorization = `Bearer ${bearer(node)}`;
  const statuses: number[] = [];
  for (const header of CONSISTENCY_HEADERS) {
    const answer = await node.app.inject({ method: 'POST', url: '/indexes', headers: { ...header, authorization } });
    expect(answer.headers['x-fossick-position']).toBe('120');
    statuses.push(answer.statusCode);
  }
  expect(statuses).toEqual([200, 200, 503, 400, 200, 503]);
  expect(node.asked).toEqual(['reaches 1', 'reaches 120', 'reaches 1000', 'caughtUp', 'reaches 1000']);
});
type Node = Awaited<ReturnType<typeof startNode>>;
