/** The thread that makes vectors for other threads: it calls providers over HTTP, and local models run in it. */
import { ApiError, apiError, faultPoint } from '@fossick/base';
import { Rendering, renderFragment } from '@fossick/documents/templates';
import { NetworkPolicy, OutboundClient } from '@fossick/outbound';
import { Bell, ownThread } from '@fossick/threads';
import type { EmbedderConfiguration } from '../configuration.js';
import { EmbeddingError } from '../embedding-error.js';
import { RequestSlots } from '../http/request-slots.js';
import { CompositeEmbedder } from '../kinds/composite.js';
import { createEmbedder } from '../kinds/create-embedder.js';
import type { Embedder, EmbedderInput, EmbedOptions } from '../port.js';
import type {
  EmbeddingAnswer,
  EmbeddingCommand,
  EmbeddingReport,
  EmbeddingStart,
  SearchFragments,
  SearchVariables,
} from './embedding-messages.js';

/** Number of embedders that are cached: each has its limits and, if local, its model. */
const EMBEDDERS_MAX = 32;

const { port, bell: rung, limits, requestSide, allowedNetworks } = ownThread<EmbeddingStart>().start;
const bell = new Bell(rung);
const client = new OutboundClient({ policy: new NetworkPolicy(allowedNetworks) });
// loaded now, not within the time limit of the first query
await client.prepare();
const slots = new RequestSlots(limits.running, requestSide);
const embedders = new Map<string, Embedder>();
const running = new Map<number, AbortController>();

process.on('exit', () => {
  slots.close();
  bell.end();
});
port.on('message', (command: EmbeddingCommand) => {
  if (command.kind === 'ask') void answer(command);
  else if (command.kind === 'abort') running.get(command.id)?.abort();
  else if (command.kind === 'rest') void rest();
  else void end();
});

async function answer(command: Extract<EmbeddingCommand, { kind: 'ask' }>): Promise<void> {
  const { id } = command;
  faultPoint('embedding.death');
  const stop = new AbortController();
  running.set(id, stop);
  const { timeoutMs } = command;
  const options: EmbedOptions = {
    signal: stop.signal,
    onRequest: (made) => report({ kind: 'request', id, report: made }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  };
  try {
    report(await found(command, options));
  } catch (error) {
    report({ id, ...faultOf(error) });
  } finally {
    running.delete(id);
  }
}

async function found(
  { id, configuration, question }: Extract<EmbeddingCommand, { kind: 'ask' }>,
  options: EmbedOptions,
): Promise<EmbeddingAnswer> {
  const embedder = embedderOf(configuration);
  if (question.kind === 'dimensions') return { kind: 'dimensions', id, dimCount: await embedder.dimensions(options) };
  const isFilled = question.kind === 'fill';
  const inputs = isFilled ? [filledFragment(question.fragments, question.variables)] : question.inputs;
  const isOfSearch = (isFilled || question.side === 'search') && embedder instanceof CompositeEmbedder;
  const vectors = await (isOfSearch ? embedder.forSearch : embedder).embed(inputs, options);
  const dimCount = vectors[0]?.length ?? 0;
  const values = new Float32Array(dimCount * vectors.length);
  for (const [at, vector] of vectors.entries()) values.set(vector, at * dimCount);
  return { kind: 'vectors', id, dimCount, values };
}

function embedderOf(configuration: EmbedderConfiguration): Embedder {
  const key = JSON.stringify(configuration);
  const known = embedders.get(key);
  if (known !== undefined) return known;
  const embedder = createEmbedder(configuration, { limits, slots, client });
  const [oldest] = embedders;
  if (oldest !== undefined && embedders.size >= EMBEDDERS_MAX && running.size <= 1) {
    embedders.delete(oldest[0]);
    void oldest[1].close();
  }
  embedders.set(key, embedder);
  return embedder;
}

function faultOf(error: unknown): Omit<Extract<EmbeddingAnswer, { kind: 'fault' }>, 'id'> {
  if (error instanceof EmbeddingError)
    return { kind: 'fault', fault: error.kind, message: error.message, inputIndex: error.inputIndex };
  const message = error instanceof Error ? error.message : String(error);
  return { kind: 'fault', fault: 'nonsense', message, inputIndex: undefined };
}

function report(made: EmbeddingReport): void {
  port.postMessage(made, made.kind === 'vectors' ? [made.values.buffer as ArrayBuffer] : []);
  bell.ring();
}

async function rest(): Promise<void> {
  if (running.size > 0) return;
  const idle = [...embedders.values()];
  embedders.clear();
  for (const embedder of idle) await embedder.close();
}

async function end(): Promise<void> {
  for (const stop of running.values()) stop.abort();
  for (const embedder of embedders.values()) await embedder.close();
  await client.close();
  port.close();
}

/**
 * The one fragment that a search fills; the others lack a variable. All are rendered within the limits of one rendering.
 * Throws ApiError vector_embedding_error for none or several. Takes seconds at most.
 */
function filledFragment(fragments: SearchFragments, variables: SearchVariables): EmbedderInput {
  const rendering = new Rendering();
  const rendered = Object.entries(fragments).flatMap(([name, { value }]): { name: string; value: unknown }[] => {
    try {
      return [{ name, value: renderFragment(value, variables, rendering) }];
    } catch (error) {
      if (error instanceof ApiError) return [];
      throw error;
    }
  });
  if (rendered.length === 1) return { kind: 'fragment', value: rendered[0]!.value };
  const names = rendered.map(({ name }) => name);
  throw apiError('vector_embedding_error', 'notOneFragment', names);
}
