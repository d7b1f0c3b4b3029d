import { MASTER_KEY, MovieServer } from '@fossick/server/e2e/movie-server.test-support';
import { type ServerProcess, startServerProcess } from '@fossick/server/e2e/server-process.test-support';
import { type Loose, TestProvider } from './provider.test-support.js';

export { MASTER_KEY };
/** The provider's key in the workspaces of these tests. */
export const PROVIDER_KEY = 'sk-a-secret-of-the-workspace';
export const SOURCES = ['openAi', 'azureOpenAi', 'mistral', 'gemini', 'vLlm'] as const;
export type Source = (typeof SOURCES)[number];

/** Every tool for clients, with their schemas. */
export const SPECIAL_TOOLS = [
  '_serviceSearchProgress',
  '_serviceAppendConversationMessage',
  '_serviceSearchSources',
].map((name) => ({ type: 'function', function: { name, parameters: { type: 'object', properties: {} } } }));
export const OLDER_SPECIAL_TOOLS = SPECIAL_TOOLS.map(({ type, function: { name, parameters } }) => ({
  type,
  function: { name: name.replace('_service', '_meili'), parameters },
}));

/** A streamed answer. */
export interface Streamed {
  readonly status: number;
  readonly headers: Headers;
  /** The text as received. */
  readonly raw: string;
  readonly chunks: readonly Loose[];
  readonly isDone: boolean;
  readonly content: string;
  /** Tool calls assembled from their pieces, in the order of their indexes. */
  readonly calls: readonly { readonly id: string; readonly name: string; readonly arguments: Loose }[];
  readonly finish: string | null;
  /** The error event, if there was one. */
  readonly error: Loose;
}

/** A server with movies, a provider, and a workspace for each source. */
export class ChatServer extends MovieServer {
  provider!: TestProvider;

  override async start(options: readonly string[] = []): Promise<void> {
    this.provider = await TestProvider.start();
    await super.start(options);
    await this.call('PATCH', '/experimental-features', { chatCompletions: true, metrics: true });
    const chat = { description: 'Movies with their years', searchParameters: { limit: 2 } };
    await this.call('PATCH', '/indexes/movies/settings', { chat });
    await this.server.allTasksDone();
    for (const source of SOURCES) await this.workspace(source, source);
  }
  override async stop(): Promise<void> {
    await super.stop();
    await this.provider?.stop();
  }

  /** Creates a workspace of a source that uses the provider. */
  async workspace(uid: string, source: Source, settings: object = {}): Promise<void> {
    const azure = { orgId: 'org-1', apiVersion: '2024-10-21', deploymentId: 'my model' };
    const whole = {
      source,
      baseUrl: this.provider.url,
      apiKey: PROVIDER_KEY,
      ...(source === 'azureOpenAi' ? azure : {}),
    };
    const { status, body } = await this.call('PATCH', `/chats/${uid}/settings`, { ...whole, ...settings });
    if (status !== 200) throw new Error(JSON.stringify(body));
  }
  /** Sends a completion and reads the stream to its end. */
  async stream(
    workspace: string,
    body: object,
    key: string | null = MASTER_KEY,
    onText: (text: string) => void = () => undefined,
  ): Promise<Streamed> {
    const answer = await fetch(`${this.server.url}/chats/${workspace}/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(key === null ? {} : { authorization: `Bearer ${key}` }) },
      body: JSON.stringify({ model: 'gpt-4o', messages: ASKED, ...body }),
    });
    let text = '';
    const decoder = new TextDecoder();
    for await (const bytes of answer.body ?? []) {
      text += decoder.decode(bytes, { stream: true });
      onText(text);
    }
    return readStream(answer.status, answer.headers, text);
  }
  /** The same without a stream. */
  whole(workspace: string, body: object, key: string | null = MASTER_KEY): Promise<{ status: number; body: Loose }> {
    const asked = { model: 'gpt-4o', messages: ASKED, stream: false, ...body };
    return this.call('POST', `/chats/${workspace}/chat/completions`, asked, key);
  }
}

/** The same with a process of its own: its memory, its threads and what it writes are looked at, or it waits by the clock. */
export class ChatProcess extends ChatServer {
  declare server: ServerProcess;

  protected override startServer(folder: string, options: readonly string[]): Promise<ServerProcess> {
    return startServerProcess(folder, options);
  }
}

export const ASKED = [{ role: 'user', content: 'Which movies have a harbour?' }];
/** A tool call of the model that searches in `movies`. */
export const search = (id: string, q: string, more: object = {}): Loose => ({
  id,
  name: '_serviceSearchInIndex',
  arguments: { index_uid: 'movies', q, filter: '', ...more },
});

export function readStream(status: number, headers: Headers, raw: string): Streamed {
  const events = raw.split('\n\n').filter((text) => text !== '' && !text.startsWith(':'));
  const isError = (text: string): boolean => text.startsWith('event: error');
  const dataOf = (text: string): string => /^data: (.*)$/m.exec(text)?.[1] ?? '';
  const texts = events.filter((text) => !isError(text)).map(dataOf);
  const chunks =
    status === 200 ? texts.filter((text) => text !== '[DONE]').map((text) => JSON.parse(text) as Loose) : [];
  const calls: { id: string; name: string; arguments: string }[] = [];
  let [content, finish] = ['', null as string | null];
  for (const { choices } of chunks)
    for (const { delta, finish_reason } of choices) {
      content += delta.content ?? '';
      finish = finish_reason ?? finish;
      for (const { index, id, function: piece } of delta.tool_calls ?? []) {
        calls[index] ??= { id, name: piece.name, arguments: '' };
        calls[index].arguments += piece.arguments;
      }
    }
  const error = events.find(isError);
  return {
    ...{ status, headers, raw, chunks, content, finish },
    isDone: texts.at(-1) === '[DONE]',
    calls: calls.map((call) => ({ ...call, arguments: JSON.parse(call.arguments) as Loose })),
    error: error === undefined ? undefined : JSON.parse(dataOf(error)),
  };
}
