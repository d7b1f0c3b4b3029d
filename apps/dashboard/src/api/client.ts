import { forgetKey, storedKey } from './key.js';

/** The error of a request that the server refused, with the status of the answer (0: there was no answer). */
export class ApiFault extends Error {
  readonly status: number;
  readonly code: string;
  readonly link: string | undefined;

  constructor(status: number, code: string, message: string, link?: string) {
    super(message);
    this.name = 'ApiFault';
    this.status = status;
    this.code = code;
    this.link = link;
  }
  /** Whether another key would help. Without a master key (`missing_master_key`) the server has no keys. */
  get requiresKey(): boolean {
    return (this.status === 401 || this.status === 403) && this.code !== 'missing_master_key';
  }
  /** Whether the request needed a key and had none. */
  get lacksKey(): boolean {
    return this.code === 'missing_authorization_header';
  }
}

/** Whether the key may not do what was asked. */
export function isRefused(fault: Error | null): boolean {
  return fault instanceof ApiFault && fault.requiresKey;
}

type Query = Readonly<Record<string, string | number | boolean | undefined>>;
interface Options {
  readonly body?: unknown;
  readonly query?: Query;
  readonly signal?: AbortSignal | undefined;
  /** Replaces the session's key. */
  readonly key?: string;
  /** Besides those that every request has. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Called when a key is needed or has changed. */
const listeners = new Set<() => void>();
export function onKeyWanted(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The address of a route on the server that sent the page, below the page's path. */
export function addressOf(path: string, query: Query = {}): string {
  const url = new URL(`.${path}`, new URL('.', document.baseURI));
  for (const [name, value] of Object.entries(query)) if (value !== undefined) url.searchParams.set(name, String(value));
  return url.href;
}

export function authorization(key = storedKey()): Record<string, string> {
  return key === null ? {} : { authorization: `Bearer ${key}` };
}

/**
 * Sends a request and returns the parsed JSON, undefined for an empty answer. @throws ApiFault, or AbortError when `signal` is aborted
 */
export async function call<T>(method: string, path: string, options: Options = {}): Promise<T> {
  const answer = await send(method, path, options);
  const text = await answer.text().catch(lost);
  try {
    return (text === '' ? undefined : JSON.parse(text)) as T;
  } catch {
    throw new ApiFault(answer.status, 'unknown', 'The answer is none of Fossick: a proxy may have given it.');
  }
}

/** The fault of a server that does not answer, or no longer. */
export function unreachable(): ApiFault {
  return new ApiFault(0, 'unreachable', 'The server does not answer. It may be stopped, or just be starting.');
}
/** What a failed request throws. */
function lost(error: unknown): never {
  throw error instanceof DOMException && error.name === 'AbortError' ? error : unreachable();
}

/** The same with the body unread, for streamed answers. @throws ApiFault */
export async function send(
  method: string,
  path: string,
  { body, query, signal, key, headers: more }: Options,
): Promise<Response> {
  const headers: Record<string, string> = { ...more, ...authorization(key ?? storedKey()) };
  if (body !== undefined) headers['content-type'] = 'application/json';
  const init = { method, headers, signal: signal ?? null, body: body === undefined ? null : JSON.stringify(body) };
  const answer = await fetch(addressOf(path, query), init).catch(lost);
  if (!answer.ok) throw noteFault(faultOf(answer.status, await answer.text().catch(lost)));
  return answer;
}

/** The file that a route sends. The browser may keep a large one on the disk. @throws ApiFault */
export async function fetchFile(path: string): Promise<Blob> {
  return (await send('GET', path, {})).blob().catch(lost);
}

/** What a proxy answers while the server behind it does not. */
const AWAY = [502, 503, 504];

/** The fault in the answer of a refused request. */
export function faultOf(status: number, text: string): ApiFault {
  try {
    const { code, message, link } = JSON.parse(text) as { code: string; message: string; link?: string };
    if (typeof message === 'string') return new ApiFault(status, code, message, link);
  } catch {
    // an answer of a proxy, in HTML
  }
  const isAway = AWAY.includes(status);
  return new ApiFault(
    isAway ? 0 : status,
    'unknown',
    isAway ? unreachable().message : `The server answered with status ${status}.`,
  );
}

/** Shows the sign-in when a request lacks a required key. Other refusals are shown by the view that gets them. */
export function noteFault(fault: ApiFault): ApiFault {
  if (fault.lacksKey) {
    forgetKey();
    for (const listener of listeners) listener();
  }
  return fault;
}
