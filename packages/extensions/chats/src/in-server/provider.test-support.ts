import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

// biome-ignore lint/suspicious/noExplicitAny: requests are looked at field by field, and every look is an assertion
export type Loose = any;

/** A request that the provider received. */
export interface SentRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Loose;
}
/** One turn of the model: text, tool calls, or anything else that a test writes itself. */
export type Turn =
  | { readonly text: string }
  | { readonly calls: readonly ModelCall[]; readonly text?: string }
  | ((response: ServerResponse, request: SentRequest) => void | Promise<void>);
export interface ModelCall {
  readonly id: string;
  readonly name: string;
  /** An object is sent as JSON, a string as it is. */
  readonly arguments: unknown;
}
/** The format of a source's streams. */
export type Dialect = 'openAi' | 'mistral' | 'gemini';

/** A local model server: answers each request with the next turn, repeating the last one, and records the requests. */
export class TestProvider {
  readonly sent: SentRequest[] = [];
  /** Connections of requests whose answers are not complete. */
  openCount = 0;
  turns: Turn[] = [{ text: 'Hello.' }];
  dialect: Dialect = 'openAi';
  private readonly server: Server;

  private constructor() {
    this.server = createServer(async (request, response) => {
      const pieces: Buffer[] = [];
      for await (const piece of request) pieces.push(piece as Buffer);
      const text = Buffer.concat(pieces).toString();
      const sent = { path: request.url ?? '', headers: request.headers, body: text === '' ? null : JSON.parse(text) };
      this.sent.push(sent);
      this.openCount++;
      response.once('close', () => this.openCount--);
      const turn = this.turns.length > 1 ? this.turns.shift()! : this.turns[0]!;
      if (typeof turn === 'function') await turn(response, sent);
      else this.answer(response, sent.body, turn);
    });
  }
  static async start(): Promise<TestProvider> {
    const provider = new TestProvider();
    await new Promise<void>((resolve) => provider.server.listen(0, '127.0.0.1', resolve));
    return provider;
  }
  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }
  /** Forgets the recorded requests, and answers with these turns from now on. */
  script(...turns: Turn[]): void {
    this.sent.length = 0;
    this.turns = turns;
  }
  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  /** Writes a turn in the source's format. */
  answer(response: ServerResponse, asked: Loose, turn: Exclude<Turn, (...args: never[]) => unknown>): void {
    const model = asked.model as string;
    if (asked.stream === true)
      writeStream(response, this.dialect, model, turn, asked.stream_options?.include_usage === true);
    else writeWhole(response, model, turn);
  }
}

const USAGE = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

export function chunkText(model: string, delta: object, finish: string | null = null, more: object = {}): string {
  const choices = [{ index: 0, delta, logprobs: null, finish_reason: finish }];
  const chunk = { id: 'from-provider', object: 'chat.completion.chunk', created: 1, model, choices, ...more };
  return `data: ${JSON.stringify(chunk)}\n\n`;
}

function writeWhole(
  response: ServerResponse,
  model: string,
  turn: { text?: string; calls?: readonly ModelCall[] },
): void {
  const calls = turn.calls?.map(({ id, name, arguments: given }) => ({
    id,
    type: 'function',
    function: { name, arguments: textOf(given) },
  }));
  const message = {
    role: 'assistant',
    content: turn.text ?? null,
    refusal: null,
    ...(calls ? { tool_calls: calls } : {}),
  };
  const choices = [{ index: 0, message, logprobs: null, finish_reason: calls ? 'tool_calls' : 'stop' }];
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ id: 'w', object: 'chat.completion', created: 1, model, choices, usage: USAGE }));
}

/**
 * OpenAI sends calls in small pieces, Mistral whole and with token counts, Gemini whole, without `index`, and with a
 * signature.
 */
function writeStream(
  response: ServerResponse,
  dialect: Dialect,
  model: string,
  { text, calls = [] }: { text?: string; calls?: readonly ModelCall[] },
  includesUsage: boolean,
): void {
  response.setHeader('content-type', dialect === 'openAi' ? 'text/event-stream; charset=utf-8' : 'text/event-stream');
  const write = (delta: object, finish: string | null = null, more: object = {}): void => {
    response.write(chunkText(model, delta, finish, more));
  };
  if (dialect === 'openAi') write({ role: 'assistant', content: '', refusal: null });
  for (const word of text?.match(/\S+\s*/g) ?? []) write({ content: word });
  for (const [index, { id, name, arguments: given }] of calls.entries()) {
    const whole = { id, type: 'function', function: { name, arguments: textOf(given) } };
    if (dialect === 'mistral') write({ tool_calls: [{ ...whole, index }] });
    else if (dialect === 'gemini')
      write({
        role: 'assistant',
        tool_calls: [{ ...whole, extra_content: { google: { thought_signature: `s-${id}` } } }],
      });
    else {
      write({ tool_calls: [{ ...whole, index, function: { name, arguments: '' } }] });
      for (const piece of textOf(given).match(/[\s\S]{1,4}/g) ?? [])
        write({ tool_calls: [{ index, function: { arguments: piece } }] });
    }
  }
  // Gemini sends `stop` after calls, too
  const finish = calls.length > 0 && dialect !== 'gemini' ? 'tool_calls' : 'stop';
  write({}, finish, dialect === 'openAi' ? {} : { usage: USAGE });
  if (includesUsage && dialect === 'openAi')
    response.write(
      `data: ${JSON.stringify({ id: 'u', object: 'chat.completion.chunk', created: 1, model, choices: [], usage: USAGE })}\n\n`,
    );
  response.end('data: [DONE]\n\n');
}
