import { readFields } from '@fossick/api';
import { describe, expect, test } from 'vitest';
import { CHAT_SETTINGS_BODY } from '../requests.js';
import { ChatWorkspaces, shownChatSettings } from './chat-workspaces.js';

/** Each source with the least that it can work with. */
const LEAST: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  openAi: {},
  mistral: {},
  gemini: {},
  azureOpenAi: { orgId: 'o', apiVersion: '2025-01-01', deploymentId: 'd', baseUrl: 'https://192.0.2.1/' },
  vLlm: { baseUrl: 'https://192.0.2.1/' },
};

function newWorkspaces(): ChatWorkspaces {
  let stored: unknown;
  return new ChatWorkspaces({
    get: () => stored,
    async change<T>(_name: string, next: (before: unknown) => T): Promise<T> {
      const after = next(stored);
      stored = after;
      return after;
    },
  });
}

describe.each(Object.keys(LEAST))('the source %s', (source) => {
  test('is taken with what it needs, the key not among it', async () => {
    const settings = await newWorkspaces().change(
      'support',
      readFields({ source, ...LEAST[source] }, CHAT_SETTINGS_BODY),
    );
    expect(shownChatSettings(settings)).toMatchObject({ source, ...LEAST[source] });
  });

  test('is refused without any one of them, and nothing is stored', async () => {
    for (const name of Object.keys(LEAST[source]!)) {
      const workspaces = newWorkspaces();
      const { [name]: _left, ...rest } = LEAST[source]!;
      await expect(workspaces.change('support', readFields({ source, ...rest }, CHAT_SETTINGS_BODY))).rejects.toThrow(
        expect.objectContaining({ code: 'bad_request', message: expect.stringContaining(`\`${name}\``) }),
      );
      expect(workspaces.uids()).toEqual([]);
    }
  });

  test('cannot lose any one of them later', async () => {
    const workspaces = newWorkspaces();
    await workspaces.change('support', readFields({ source, ...LEAST[source] }, CHAT_SETTINGS_BODY));
    for (const name of Object.keys(LEAST[source]!))
      await expect(workspaces.change('support', readFields({ [name]: null }, CHAT_SETTINGS_BODY))).rejects.toThrow(
        expect.objectContaining({ code: 'bad_request' }),
      );
  });
});

test('the key is stored and never shown', async () => {
  const workspaces = newWorkspaces();
  const settings = await workspaces.change('support', readFields({ apiKey: 'a secret' }, CHAT_SETTINGS_BODY));
  expect(settings.apiKey).toBe('a secret');
  expect(JSON.stringify(shownChatSettings(settings))).not.toContain('secret');
});
