import { apiError, own } from '@fossick/base';
import { isAddress } from '../requests.js';
import type { ChatSettings } from './chat-workspaces.js';
import type { Loose } from './chunk.js';

/** The address for completions of a workspace, and the headers. */
export interface ProviderTarget {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** Must never appear in an answer or a log; null when there is none. */
  readonly secret: string | null;
}

/** Addresses of the vendors. */
const BASE_URLS: Readonly<Record<string, string>> = {
  openAi: 'https://api.openai.com/v1',
  mistral: 'https://api.mistral.ai/v1',
  gemini: 'https://generativelanguage.googleapis.com/v1beta/openai',
};

/**
 * The address and headers of a workspace's provider (docs/internals/decisions/chat.md). The workspace has the settings that its source
 * requires. @throws ApiError bad_request for an address that is none: earlier releases stored what they were given
 */
export function providerTarget(settings: ChatSettings): ProviderTarget {
  const { source, orgId, projectId, apiKey } = settings;
  const isAzure = source === 'azureOpenAi';
  const key: Record<string, string> = isAzure
    ? { 'api-key': apiKey ?? '' }
    : { authorization: `Bearer ${apiKey ?? ''}` };
  const isOpenAi = source === 'openAi' || isAzure;
  const headers = {
    ...(apiKey === null ? {} : key),
    ...(isOpenAi && orgId !== null ? { 'openai-organization': orgId } : {}),
    ...(isOpenAi && projectId !== null ? { 'openai-project': projectId } : {}),
  };
  return { url: isAzure ? azureUrl(settings) : plainUrl(settings), headers, secret: apiKey };
}

function plainUrl({ source, baseUrl }: ChatSettings): URL {
  return below(source, baseUrl || (own(BASE_URLS, source) ?? ''), 'chat/completions');
}

/** `…/openai/deployments/NAME/chat/completions?api-version=…`, whether or not the base contains `openai` already. */
function azureUrl({ source, baseUrl, deploymentId, apiVersion }: ChatSettings): URL {
  const base = (baseUrl ?? '').replace(/\/+$/, '').replace(/\/openai$/, '');
  const url = below(source, base, `openai/deployments/${encodeURIComponent(deploymentId ?? '')}/chat/completions`);
  url.searchParams.set('api-version', apiVersion ?? '');
  return url;
}

/** A query of the base stays after the path. */
function below(source: string, base: string, path: string): URL {
  if (!isAddress(base)) throw apiError('bad_request', 'incompleteSource', source, 'baseUrl');
  const url = new URL(base);
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/${path}`;
  return url;
}

/** Models of OpenAI with the role `system`; newer ones call it `developer`. */
const SYSTEM_MODELS = /^(ft:)?(gpt-3\.5|gpt-4|chatgpt-4o)/;

/** The role of the prompt at the start of the conversation. */
export function promptRole({ source }: ChatSettings, model: string): 'system' | 'developer' {
  const isOpenAi = source === 'openAi' || source === 'azureOpenAi';
  return isOpenAi && !SYSTEM_MODELS.test(model) ? 'developer' : 'system';
}

/** Whether the source accepts `strict` functions and `additionalProperties`; Gemini refuses unknown members. */
export function takesStrictTools({ source }: ChatSettings): boolean {
  return source === 'openAi' || source === 'azureOpenAi' || source === 'mistral';
}

/** Members with another name at Mistral; it has no `stream_options`, and reports token usage unasked. */
const MISTRAL_NAMES: Readonly<Record<string, string>> = { max_completion_tokens: 'max_tokens', seed: 'random_seed' };

/** The body of one round in the source's form: Mistral refuses unknown members. */
export function sourceBody({ source }: ChatSettings, body: Loose): Loose {
  if (source !== 'mistral') return body;
  const { stream_options: _usage, ...rest } = body;
  return Object.fromEntries(Object.entries(rest).map(([name, value]) => [own(MISTRAL_NAMES, name) ?? name, value]));
}
