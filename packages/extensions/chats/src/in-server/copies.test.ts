import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import {
  AUTH,
  allBut,
  dumpOf,
  HAS_COPIES,
  movedBy,
  newFolder,
  startDumping,
} from '@fossick/server/e2e/dumping-server.test-support';
import type { TestServer } from '@fossick/server/e2e/server-process.test-support';
import { expect, it } from 'vitest';
import { ARCHIVED } from '../chats-in-dumps.js';
import { chats } from '../index.js';

const PATH = '/chats/help/settings';
const ON = { chatCompletions: true, metrics: true };

const ask = <T>(server: TestServer, method: string, path: string, body?: unknown) =>
  server.call<T>(method, path, body, AUTH);
/** A server with the workspace `help`. */
async function startWithHelp(folder = newFolder()): Promise<TestServer> {
  const server = await startDumping(folder);
  await ask(server, 'PATCH', '/experimental-features', ON);
  const settings = {
    source: 'vLlm',
    baseUrl: 'http://192.0.2.1/v1',
    apiKey: 'sk-1234567890',
    prompts: { system: 'Be kind' },
  };
  await ask(server, 'PATCH', PATH, settings);
  await ask(server, 'PATCH', '/chats/other/settings', {});
  return server;
}
const settingsOf = async (server: TestServer) => (await ask<object>(server, 'GET', PATH)).body;
it.runIf(HAS_COPIES)('workspaces come along in dumps, also of a server that leaves them out', async () => {
  const folders = [newFolder(), newFolder(), newFolder()] as const;
  const server = await startWithHelp(folders[0]);
  const state = await settingsOf(server);
  expect(state).toMatchObject({ source: 'vLlm', prompts: { system: 'Be kind' } });
  const without = await startDumping(folders[1], [
    '--import-dump',
    await dumpOf(server, folders[0]),
    '--extensions=transfer',
  ]);
  expect((await ask(without, 'GET', PATH)).status).toBe(404);
  const again = await startDumping(folders[2], ['--import-dump', await dumpOf(without, folders[1])]);
  expect(await settingsOf(again)).toEqual(state);
  expect((await ask(again, 'GET', '/chats')).body).toMatchObject({ results: [{ uid: 'help' }, { uid: 'other' }] });
});

it('their folder is that of the reference engine, with the keys of providers', () => {
  const [{ file, toFile, ofFile }] = ARCHIVED as [(typeof ARCHIVED)[number]];
  const workspaces = { help: { source: 'openAi', apiKey: 'sk' } };
  expect(file).toBe('chat-completions-settings/');
  expect(toFile(undefined)).toEqual({});
  expect(ofFile(toFile(workspaces))).toEqual(workspaces);
});

it('they are moved without the keys of providers', async () => {
  const [source, target, bare] = [
    await startWithHelp(),
    await startDumping(newFolder()),
    await startDumping(newFolder(), ['--extensions=']),
  ];
  await ask(target, 'PATCH', '/experimental-features', ON);
  const told = await movedBy(chats, source, target);
  expect(told).toContain('chat workspaces: 2 of 2');
  expect(told).toContain('`other`: its apiKey');
  expect(told).not.toContain('`help`: its apiKey');
  expect(await settingsOf(target)).toEqual(await settingsOf(source));
  expect(await movedBy(chats, bare, target)).not.toContain('workspace `');
  expect(await movedBy(chats, source, bare)).toContain('the chat workspace `help`: ');
});

it('no answer tells the key of a provider', async () => {
  const server = await startWithHelp();
  const changed = await ask(server, 'PATCH', PATH, { apiKey: 'sk-secret' });
  expect(JSON.stringify([changed.body, await settingsOf(server)])).not.toMatch(/apiKey|sk-|XXX/);
});

it.each([
  ['conversations_total', 'counter'],
  ['rounds_total', 'counter'],
  ['searches_total', 'counter'],
  ['prompt_tokens_total', 'counter'],
  ['completion_tokens_total', 'counter'],
  ['tokens_total', 'counter'],
  ['duration_seconds', 'histogram'],
])('the metric chat_%s is there before the first conversation', async (name, kind) => {
  const text = await (await fetch(`${(await startWithHelp()).url}/metrics`, { headers: AUTH })).text();
  expect(text).toContain(`# TYPE meilisearch_chat_${name} ${kind}\n`);
});

it('the dashboard of docs/operations/grafana shows series that there are', async () => {
  const file = fileURLToPath(new URL('../../../../../docs/operations/grafana/dashboard.json', import.meta.url));
  const text = await (await fetch(`${(await startWithHelp()).url}/metrics`, { headers: AUTH })).text();
  const names = readFileSync(file, 'utf8').match(/meilisearch_chat_[a-z_]+/g)!;
  expect(names.length).toBeGreaterThan(2);
  for (const name of names) expect(text).toContain(`# TYPE ${name} `);
});

it('left out, its routes are unknown, and what an index says of itself stays', async () => {
  const server = await startDumping(newFolder(), ['--extensions', allBut('chats'), '--chat-timeout', '3']);
  await ask(server, 'PATCH', '/experimental-features', ON);
  for (const [method, path] of [
    ['GET', '/chats'],
    ['PATCH', PATH],
    ['POST', '/chats/help/chat/completions'],
  ] as const)
    expect([path, (await ask<{ code: string }>(server, method, path, {})).body.code]).toEqual([
      path,
      'route_not_found',
    ]);
  await ask(server, 'PATCH', '/indexes/films/settings', { chat: { description: 'Films' } });
  await server.allTasksDone();
  expect((await ask(server, 'GET', '/indexes/films/settings/chat')).body).toMatchObject({ description: 'Films' });
  const metrics = await (await fetch(`${server.url}/metrics`, { headers: AUTH })).text();
  expect(metrics).not.toContain('chat_');
});
