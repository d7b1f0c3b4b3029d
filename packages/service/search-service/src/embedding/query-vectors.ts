import { ApiError, apiError, foreignText, own } from '@fossick/base';
import { renderFragment } from '@fossick/documents/templates';
import type { EmbedderConfiguration, EmbedderInput, EmbeddingAnswer, EmbeddingReport } from '@fossick/embedders';
import { EmbeddingWorker, type EmbeddingWorkerOptions } from '@fossick/embedders';
import type { SearchRequest } from '@fossick/search';
import { configurationOf, type EmbedderConfig, type IndexSettings, sourceOf } from '@fossick/settings';

/** Time limit for the vector of a query in milliseconds, where the index has no search cutoff. */
const TIMEOUT_MS = 3_000;
/** A thread that is unused for this long may end, in milliseconds. */
const IDLE_MS = 60_000;

export interface QueryVectorsOptions extends EmbeddingWorkerOptions {
  /** Number of cached vectors of queries. */
  readonly cacheEntries: number;
}
type Media = Readonly<Record<string, unknown>> | null | undefined;
/** The request to an embedder for a query; `key` identifies it. */
interface Question {
  readonly configuration: EmbedderConfiguration;
  readonly input: EmbedderInput;
  readonly key: string;
}

/** The vectors of queries given as text or media. Another thread makes them; it is started with the first one. */
export class QueryVectors {
  private readonly options: QueryVectorsOptions;
  private worker: EmbeddingWorker | undefined;
  private requestCount = 0;
  private idle: NodeJS.Timeout | undefined;
  private readonly waiting = new Map<number, (answer: EmbeddingAnswer) => void>();
  private readonly cached = new Map<string, readonly number[]>();
  /**
   * Vectors being made, by request and time limit: queries of one federated search often share a text, as do concurrent
   * searches.
   */
  private readonly making = new Map<string, Promise<readonly number[]>>();

  constructor(options: QueryVectorsOptions) {
    this.options = options;
  }

  /**
   * The request with the vector of its text or media, if it needs a vector and has none. If none can be made, a search
   * with keywords is returned unchanged; any other throws ApiError vector_embedding_error. `settings`: those of its
   * index. `isSpared` is called before the provider for a search with keywords: whether these decide it alone.
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
    const cached = this.recall(question.key);
    if (cached !== undefined) return { ...request, vector: cached };
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
    const cached = this.cached.get(key);
    if (cached === undefined) return undefined;
    this.cached.delete(key);
    this.cached.set(key, cached);
    return cached;
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
    const answer = await this.requestVector(configuration, input, timeoutMs);
    if (answer.kind !== 'vectors')
      throw answer.kind === 'fault'
        ? new ApiError('vector_embedding_error', foreignText(answer.message))
        : apiError('vector_embedding_error', 'noQueryVector');
    const vector = Array.from(answer.values);
    this.store(key, vector);
    return vector;
  }

  private requestVector(
    configuration: EmbedderConfiguration,
    input: EmbedderInput,
    timeoutMs: number,
  ): Promise<EmbeddingAnswer> {
    const worker = this.running();
    const id = ++this.requestCount;
    return new Promise((resolve) => {
      // the thread keeps the time limit itself; this is for a thread that cannot
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

  private store(key: string, vector: readonly number[]): void {
    if (this.options.cacheEntries === 0) return;
    this.cached.set(key, vector);
    const [oldest] = this.cached.keys();
    if (this.cached.size > this.options.cacheEntries && oldest !== undefined) this.cached.delete(oldest);
  }
}

function questionOf(config: EmbedderConfig, q: string | null, media: Media): Question {
  const input = inputOf(config, q, media);
  const configuration = configurationOf(config, process.env);
  return { configuration, input, key: JSON.stringify([configuration, input]) };
}

/** The embedder's input for a query: its text, or the one search fragment that it fills. */
function inputOf(config: EmbedderConfig, q: string | null, media: Media): EmbedderInput {
  const side = sourceOf(config) === 'composite' ? (config.searchEmbedder as EmbedderConfig) : config;
  const fragments = Object.entries(
    (side.searchFragments ?? {}) as Readonly<Record<string, { readonly value: unknown }>>,
  );
  if (fragments.length === 0) {
    if (media === null || media === undefined) return { kind: 'text', text: q ?? '' };
    throw apiError('vector_embedding_error', 'noFragments');
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
  throw apiError('vector_embedding_error', 'notOneFragment', names);
}
