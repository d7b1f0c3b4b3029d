import { ApiError, own } from '@fossick/base';
import type { EmbedderConfiguration, EmbedderInput } from '@fossick/embedders';
import type { SearchRequest } from '@fossick/search';
import { type EmbedderConfig, type IndexSettings, sourceOf } from '@fossick/settings';
import { renderFragment } from '@fossick/templates';
import { configurationOf } from './embedder-configuration.js';
import type { EmbeddingAnswer, EmbeddingReport } from './embedding-messages.js';
import { EmbeddingWorker, type EmbeddingWorkerOptions } from './embedding-worker.js';

/** Milliseconds for the vector of a query where the index names no cutoff for its searches. */
const TIMEOUT_MS = 3_000;
/** A thread that nobody asked for so long may end. */
const IDLE_MS = 60_000;

export interface QueryVectorsOptions extends EmbeddingWorkerOptions {
  /** Vectors of queries that are kept for the same query to come again. */
  readonly cacheEntries: number;
}
type Media = Readonly<Record<string, unknown>> | null | undefined;
/** What an embedder is asked for a query; `key` tells it from any other. */
interface Question {
  readonly configuration: EmbedderConfiguration;
  readonly input: EmbedderInput;
  readonly key: string;
}

/** The vectors of queries that come as text or media. Another thread makes them; it is started with the first. */
export class QueryVectors {
  private readonly options: QueryVectorsOptions;
  private worker: EmbeddingWorker | undefined;
  private askedCount = 0;
  private idle: NodeJS.Timeout | undefined;
  private readonly waiting = new Map<number, (answer: EmbeddingAnswer) => void>();
  private readonly kept = new Map<string, readonly number[]>();
  /** Vectors that are being made, by question and time limit: queries of one federated search often share a text, and searches that come together. */
  private readonly making = new Map<string, Promise<readonly number[]>>();

  constructor(options: QueryVectorsOptions) {
    this.options = options;
  }

  /**
   * The request with the vector of its text or media, where it asks for vectors and brings none. Where none can be made a search that has words to go by
   * stays as it is; throws ApiError vector_embedding_error for any other. `settings`: those of its index. `isSpared` is asked before a provider is, of a
   * search that has words: whether they decide it alone.
   */
  async embedded<R extends Pick<SearchRequest, 'q' | 'vector' | 'hybrid'>>(
    request: R,
    media: Media,
    settings: () => IndexSettings,
    isSpared?: (request: R) => Promise<boolean>,
  ): Promise<R> {
    const { hybrid, vector, q } = request;
    const hasText = q !== null && q.trim() !== '';
    const hasMedia = media !== null && media !== undefined;
    if (hybrid === null || vector !== null || hybrid.semanticRatio === 0 || !(hasText || hasMedia)) return request;
    const { embedders, searchCutoffMs } = settings();
    const config = own(embedders, hybrid.embedder) as EmbedderConfig | undefined;
    if (config === undefined || sourceOf(config) === 'userProvided') return request;
    const isHybrid = hasText && hybrid.semanticRatio < 1;
    let question: Question;
    try {
      question = questionOf(config, q, media);
    } catch (error) {
      if (error instanceof ApiError && isHybrid) return request;
      throw error;
    }
    const kept = this.recall(question.key);
    if (kept !== undefined) return { ...request, vector: kept };
    if (isHybrid && isSpared !== undefined && (await isSpared(request))) return request;
    try {
      return { ...request, vector: await this.make(question, searchCutoffMs ?? TIMEOUT_MS) };
    } catch (error) {
      if (error instanceof ApiError && isHybrid) return request;
      throw error;
    }
  }

  close(): void {
    clearTimeout(this.idle);
    this.worker?.end();
    this.worker = undefined;
  }

  private recall(key: string): readonly number[] | undefined {
    const kept = this.kept.get(key);
    if (kept === undefined) return undefined;
    this.kept.delete(key);
    this.kept.set(key, kept);
    return kept;
  }

  private make(question: Question, timeoutMs: number): Promise<readonly number[]> {
    const key = `${timeoutMs} ${question.key}`;
    const known = this.making.get(key);
    if (known !== undefined) return known;
    const made = this.made(question, timeoutMs).finally(() => this.making.delete(key));
    this.making.set(key, made);
    return made;
  }

  private async made({ configuration, input, key }: Question, timeoutMs: number): Promise<readonly number[]> {
    const answer = await this.ask(configuration, input, timeoutMs);
    if (answer.kind !== 'vectors')
      throw failed(answer.kind === 'fault' ? answer.message : 'The embedder made no vector of the query.');
    const vector = Array.from(answer.values);
    this.keep(key, vector);
    return vector;
  }

  private ask(configuration: EmbedderConfiguration, input: EmbedderInput, timeoutMs: number): Promise<EmbeddingAnswer> {
    const worker = this.running();
    const id = ++this.askedCount;
    return new Promise((resolve) => {
      // the thread keeps the time itself; this is for one that cannot
      const late = setTimeout(() => {
        worker.send({ kind: 'abort', id });
        end({
          kind: 'fault',
          id,
          fault: 'timeout',
          message: `There was no vector of the query within ${timeoutMs} ms.`,
          inputIndex: 0,
        });
      }, timeoutMs + 250);
      const end = (answer: EmbeddingAnswer): void => {
        clearTimeout(late);
        this.waiting.delete(id);
        resolve(answer);
      };
      this.waiting.set(id, end);
      worker.send({
        kind: 'ask',
        id,
        configuration,
        question: { kind: 'embed', inputs: [input], side: 'search' },
        timeoutMs,
      });
    });
  }

  private running(): EmbeddingWorker {
    clearTimeout(this.idle);
    this.idle = setTimeout(() => {
      if (this.worker?.rest() === true) this.worker = undefined;
    }, IDLE_MS).unref();
    if (this.worker !== undefined && !this.worker.isEnded) return this.worker;
    const worker = new EmbeddingWorker(this.options, 'search');
    worker.port.on('message', (report: EmbeddingReport) => {
      if (report.kind !== 'request') this.waiting.get(report.id)?.(report);
    });
    this.worker = worker;
    return worker;
  }

  private keep(key: string, vector: readonly number[]): void {
    if (this.options.cacheEntries === 0) return;
    this.kept.set(key, vector);
    const [oldest] = this.kept.keys();
    if (this.kept.size > this.options.cacheEntries && oldest !== undefined) this.kept.delete(oldest);
  }
}

function questionOf(config: EmbedderConfig, q: string | null, media: Media): Question {
  const input = inputOf(config, q, media);
  const configuration = configurationOf(config, process.env);
  return { configuration, input, key: JSON.stringify([configuration, input]) };
}

/** What the embedder is given of a query: its text, or the one search fragment that it fills. */
function inputOf(config: EmbedderConfig, q: string | null, media: Media): EmbedderInput {
  const side = sourceOf(config) === 'composite' ? (config.searchEmbedder as EmbedderConfig) : config;
  const fragments = Object.entries(
    (side.searchFragments ?? {}) as Readonly<Record<string, { readonly value: unknown }>>,
  );
  if (fragments.length === 0) {
    if (media === null || media === undefined) return { kind: 'text', text: q ?? '' };
    throw failed('The embedder has no `searchFragments`, which say what becomes of `media`.');
  }
  const variables = { ...(q === null ? {} : { q }), ...(media === null || media === undefined ? {} : { media }) };
  const rendered = fragments.flatMap(([name, { value }]): { name: string; value: unknown }[] => {
    try {
      return [{ name, value: renderFragment(value, variables) }];
    } catch (error) {
      if (error instanceof ApiError) return [];
      throw error;
    }
  });
  if (rendered.length === 1) return { kind: 'fragment', value: rendered[0]!.value };
  const names = rendered.map(({ name }) => `\`${name}\``).join(', ');
  throw failed(
    `One of the \`searchFragments\` has to fit the query, and ${names === '' ? 'none does' : `${names} do`}.`,
  );
}

const failed = (message: string): ApiError => new ApiError('vector_embedding_error', message);
