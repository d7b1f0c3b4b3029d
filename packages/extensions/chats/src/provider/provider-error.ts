import { isJsonObject } from '@fossick/api';
import { ApiError, apiError, own } from '@fossick/base';
import { MAX_PROVIDER_MEMBERS } from '../limits.js';

/** Characters of a provider's message that an error quotes. */
const QUOTED_CHARS = 500;

/** Why a provider has no (or no further) answer. */
export class ProviderError extends ApiError {
  /** The provider's own name of the error, if any. */
  readonly providerType: string | null;
  readonly providerCode: string | null;
  readonly param: string | null;

  constructor({ code, message }: ApiError, said: Partial<ProviderWords> = {}) {
    super(code, message);
    this.providerType = said.type ?? null;
    this.providerCode = said.code ?? null;
    this.param = said.param ?? null;
  }
}

interface ProviderWords {
  readonly message: string;
  readonly type: string | null;
  readonly code: string | null;
  readonly param: string | null;
}

/** The error for an HTTP status. @param text the body, or the beginning of it */
export function refusal(status: number, text: string, secret: string | null): ProviderError {
  const words = readWords(text, secret);
  const said = words.message === '' ? '' : `: ${words.message}`;
  if (status === 401 || status === 403)
    return new ProviderError(apiError('remote_invalid_api_key', 'provider', status, said), words);
  if (status === 429) return new ProviderError(apiError('remote_too_many_requests', said), words);
  if (status >= 500) return new ProviderError(apiError('remote_remote_error', 'provider', status, said), words);
  if (status >= 400) return new ProviderError(apiError('remote_bad_request', 'provider', status, said), words);
  return new ProviderError(apiError('remote_bad_response', 'providerStatus', status));
}

/** The error that a provider sends in the middle of its answer. */
export function reportedError(reported: unknown, secret: string | null): ProviderError {
  const words = readWords(JSON.stringify({ error: reported }), secret);
  return new ProviderError(apiError('remote_remote_error', 'providerReported', words.message), words);
}

/** The error for an answer that is something else than a chat completion. */
export function noCompletion(text: string, secret: string | null): ProviderError {
  return new ProviderError(apiError('remote_bad_response', 'providerNoCompletion', quoted(text, secret)));
}

/** The error for an object of more members than providers send. */
export function tooManyMembers(): ProviderError {
  return new ProviderError(apiError('remote_bad_response', 'providerTooManyMembers', MAX_PROVIDER_MEMBERS));
}

/** Text of a provider for an error message: short, and without the key, which some providers repeat. */
export function quoted(text: string, secret: string | null): string {
  // the key itself, and its form inside of JSON text
  const forms = secret === null || secret === '' ? [] : [secret, JSON.stringify(secret).slice(1, -1)];
  const open = forms.reduce((rest, form) => rest.replaceAll(form, '…'), text);
  return open.length > QUOTED_CHARS ? `${open.slice(0, QUOTED_CHARS)}…` : open;
}

/** Providers write `{"error":{…}}`, `{"error":"…"}`, `[{"error":{…}}]` (Gemini), `{"message":…}` (Mistral) or plain text. */
function readWords(text: string, secret: string | null): ProviderWords {
  const none = { type: null, code: null, param: null };
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return { ...none, message: quoted(text.trim(), secret) };
  }
  const outer: unknown = Array.isArray(parsed) ? parsed[0] : parsed;
  const error: unknown = isJsonObject(outer) ? (outer['error'] ?? outer) : outer;
  if (typeof error === 'string') return { ...none, message: quoted(error, secret) };
  if (!isJsonObject(error)) return { ...none, message: quoted(text.trim(), secret) };
  const word = (name: string): string | null => {
    const value = own(error, name);
    return typeof value === 'string' || typeof value === 'number' ? quoted(String(value), secret) : null;
  };
  const { message, detail } = error;
  const reported = typeof message === 'string' ? message : JSON.stringify(message ?? detail ?? error);
  return {
    message: quoted(reported, secret),
    type: word('type') ?? word('status'),
    code: word('code'),
    param: word('param'),
  };
}
