import { describe, expect, it } from 'vitest';
import { isAddress } from '../requests.js';
import type { ChatSettings } from './chat-workspaces.js';
import { providerTarget } from './provider-target.js';

const NOTHING = { orgId: null, projectId: null, apiVersion: null, deploymentId: null, apiKey: null };
const prompts = { system: '', searchDescription: '', searchQParam: '', searchFilterParam: '', searchIndexUidParam: '' };
const settings = (source: ChatSettings['source'], baseUrl: string | null): ChatSettings => ({
  ...NOTHING,
  source,
  baseUrl,
  prompts,
});

describe('the address of a provider', () => {
  it.each(['openAi', 'mistral', 'gemini'] as const)('of %s is that of the vendor where none is given', (source) => {
    const { href } = providerTarget(settings(source, null)).url;
    expect(href).toMatch(/^https:\/\/.*\/chat\/completions$/);
    expect(providerTarget(settings(source, '')).url.href).toBe(href);
  });

  it.each<[ChatSettings['source'], string | null]>([
    ['vLlm', ''],
    ['vLlm', null],
    ['azureOpenAi', ''],
    ['azureOpenAi', '/openai'],
    ['openAi', ' '],
    ['openAi', 'api.example.com/v1'],
    ['mistral', 'localhost:8000'],
    ['gemini', 'ftp://192.0.2.1/v1'],
    ['vLlm', 'http://'],
    ['vLlm', 'file:///etc/passwd'],
  ])('of %s may have been stored as %j by an earlier release: an error of the request', (source, baseUrl) => {
    expect(() => providerTarget(settings(source, baseUrl))).toThrow(`The source \`${source}\` needs \`baseUrl\`.`);
  });

  it.each([
    ['http://192.0.2.1', true],
    ['https://api.example.com/v1?key=1', true],
    ['HTTP://192.0.2.1:80/', true],
    ['', false],
    ['//192.0.2.1/', false],
    ['ws://192.0.2.1/', false],
    ['192.0.2.1:80', false],
    ['nothing', false],
  ])('%j: %j', (text, isOne) => expect(isAddress(text)).toBe(isOne));
});
