/** A server within the process of the test: requests reach its routes without a socket. */
import type { ServerOptions } from '@fossick/instance';
import type { Extension } from '@fossick/runtime/extension';
import type { ComposedServer } from '../compose.js';
import { checkAnswer } from './answer-contract.test-support.js';
import { type TestServer, type WireAnswer, waitForTasks } from './server-process.test-support.js';

/** The built files: they are loaded once for all test files of a worker, and start threads as a user's server does. */
interface BuiltServer {
  composeServer(options: ServerOptions, all?: readonly Extension[]): Promise<ComposedServer>;
  readProductInvocation(
    argv: readonly string[],
    env: Readonly<Record<string, string | undefined>>,
    all?: readonly Extension[],
  ): { readonly options: ServerOptions };
}
const BUILT_FILES = ['compose', 'extensions/product-options'].map(
  (name) => new URL(`../../dist/${name}.js`, import.meta.url).href,
);

/**
 * Starts a server over `folder`. Requests of `call` are injected; `url` is for clients that need a socket. The options
 * are those of the command line; nothing is read from the environment. `output` is what servers log meanwhile.
 */
export function startTestServer(folder: string, options: readonly string[] = []): Promise<TestServer> {
  return startServerWith(undefined, folder, options);
}

/** The same with these extensions instead of those of the product, whose operations and answers no document describes. */
export async function startServerWith(
  extensions: readonly Extension[] | undefined,
  folder: string,
  options: readonly string[] = [],
): Promise<TestServer> {
  const built = await Promise.all(BUILT_FILES.map((file) => import(/* @vite-ignore */ file)));
  const { composeServer, readProductInvocation } = Object.assign({}, ...built) as BuiltServer;
  const always = ['--db-path', folder, '--http-addr', '127.0.0.1:0', '--no-analytics', '--log-level', 'ERROR'];
  const composed = await composeServer(
    readProductInvocation([...always, ...options], {}, extensions).options,
    extensions,
  );
  const log = takeLog();
  const { facts } = await composed.listen();
  const call = <T>(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<WireAnswer<T>> => inject(composed, method, path, body, headers, extensions === undefined);
  let stopped: Promise<void> | undefined;
  return {
    url: facts.url,
    output: log.text,
    call,
    allTasksDone: () => waitForTasks((path, headers) => call('GET', path, undefined, headers), options, log.text),
    async stop() {
      stopped ??= composed.close();
      await stopped;
      log.end();
      return 0;
    },
  };
}

/** The texts of those who listen to the standard error of this process, which servers write their log to. */
const listeners = new Set<{ text: string }>();
const write = process.stderr.write;

/** Listens to the log of servers until `end`. */
function takeLog(): { text(): string; end(): void } {
  const taken = { text: '' };
  if (listeners.size === 0)
    process.stderr.write = ((chunk: string | Uint8Array, ...more: never[]) => {
      for (const listener of listeners) listener.text += String(chunk);
      return write.call(process.stderr, chunk, ...more);
    }) as typeof write;
  listeners.add(taken);
  return {
    text: () => taken.text,
    end() {
      if (listeners.delete(taken) && listeners.size === 0) process.stderr.write = write;
    },
  };
}

async function inject<T>(
  { app }: ComposedServer,
  method: string,
  path: string,
  body: unknown,
  headers: Record<string, string>,
  isDescribed: boolean,
): Promise<WireAnswer<T>> {
  const isObject = body !== undefined && typeof body !== 'string' && !(body instanceof Uint8Array);
  const answer = await app.inject({
    method: method as 'GET',
    url: path,
    headers: {
      // as `fetch` names the type of a text
      ...(typeof body === 'string' ? { 'content-type': 'text/plain;charset=UTF-8' } : {}),
      ...(isObject ? { 'content-type': 'application/json' } : {}),
      ...headers,
    },
    ...(body === undefined ? {} : { payload: isObject ? JSON.stringify(body) : Buffer.from(body as string) }),
  });
  const text = answer.payload;
  const mediaType = String(answer.headers['content-type'] ?? '');
  if (isDescribed) checkAnswer(method, path, { status: answer.statusCode, mediaType, text });
  return { status: answer.statusCode, body: (text === '' ? undefined : JSON.parse(text)) as T };
}
