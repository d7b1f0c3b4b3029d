import {
  AUTH,
  dumpOf,
  HAS_COPIES,
  movedBy,
  newFolder,
  startDumping,
} from '@fossick/server/e2e/dumping-server.test-support';
import type { TestServer } from '@fossick/server/e2e/server-process.test-support';
import { expect, it } from 'vitest';
import { webhooks } from '../index.js';
import { ARCHIVED } from '../webhooks-in-dumps.js';

const HOOK = { url: 'http://192.0.2.1/told', headers: { 'x-who': 'me', Authorization: 'Bearer 1234567890' } };

const hooksOf = async (server: TestServer) =>
  (await server.call<{ results: object[] }>('GET', '/webhooks', undefined, AUTH)).body.results;
it.runIf(HAS_COPIES)('webhooks come along in dumps, also of a server that leaves them out', async () => {
  const folders = [newFolder(), newFolder(), newFolder()] as const;
  const server = await startDumping(folders[0]);
  await server.call('POST', '/webhooks', HOOK, AUTH);
  const state = await hooksOf(server);
  expect(state).toHaveLength(1);
  const file = await dumpOf(server, folders[0]);
  const without = await startDumping(folders[1], ['--import-dump', file, '--extensions=transfer']);
  expect((await without.call('GET', '/webhooks', undefined, AUTH)).status).toBe(404);
  const again = await dumpOf(without, folders[1]);
  expect(await hooksOf(await startDumping(folders[2], ['--import-dump', again]))).toEqual(state);
});

it('their file is that of the reference engine', () => {
  const [{ file, toFile, ofFile }] = ARCHIVED as [(typeof ARCHIVED)[number]];
  const uuid = '6062abda-a5aa-4414-ac91-ecd7944c0f8d';
  const content = { webhooks: { [uuid]: { url: HOOK.url, headers: HOOK.headers } } };
  expect(file).toBe('webhooks.json');
  expect(toFile([{ uuid, ...HOOK }])).toEqual(content);
  expect(ofFile(content)).toEqual([{ uuid, ...HOOK }]);
  expect(toFile(undefined)).toEqual({ webhooks: {} });
  expect(ofFile({ webhooks: { [uuid]: { url: HOOK.url } } })).toEqual([{ uuid, url: HOOK.url, headers: {} }]);
  expect(ofFile({})).toEqual([]);
});

it('they are moved once, without the headers that their source masks, and without that of its command line', async () => {
  const source = await startDumping(newFolder(), ['--task-webhook-url', 'http://192.0.2.1/first']);
  const target = await startDumping(newFolder());
  const bare = await startDumping(newFolder(), ['--extensions=']);
  await source.call('POST', '/webhooks', HOOK, AUTH);
  const first = await movedBy(webhooks, source, target);
  expect(first).toContain('give it to the target with --task-webhook-url');
  expect(first).toContain('the header Authorization, which the source does not tell');
  expect(await hooksOf(target)).toMatchObject([{ url: HOOK.url, headers: { 'x-who': 'me' } }]);
  await movedBy(webhooks, source, target);
  expect(await movedBy(webhooks, bare, target)).not.toContain('webhooks');
  expect(await movedBy(webhooks, source, bare)).toContain('2 webhooks: the target serves none');
  expect(await hooksOf(target)).toHaveLength(1);
});
