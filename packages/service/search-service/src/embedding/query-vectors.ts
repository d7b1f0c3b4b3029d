import { ApiError, apiError, foreignText, own } from '@fossick/base';
import type {
  EmbedderConfiguration,
  EmbeddingAnswer,
  EmbeddingQuestion,
  EmbeddingReport,
  SearchFragments,
} from '@fossick/embedders';
import { EmbeddingWorker, type EmbeddingWorkerOptions, shownUrl } from '@fossick/embedders';
import { configurationOf, type EmbedderConfig, type IndexSettings, sourceOf } from '@fossick/settings';
import type { SearchRequest } from '@fossick/settings/parameters';

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
  readonly asked: EmbeddingQuestion;
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
    const cached = this.cachedVector(question.key);
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

  private cachedVector(key: string): readonly number[] | undefined {
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

  private async made({ configuration, asked, key }: Question, timeoutMs: number): Promise<readonly number[]> {
    const answer = await this.requestVector(configuration, asked, timeoutMs);
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
    question: EmbeddingQuestion,
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
          message: `${shownSource(configuration)} returned no vector of the query within ${timeoutMs} ms.`,
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
        question,
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
  const asked = askedOf(config, q, media);
  const configuration = configurationOf(config, process.env);
  return { configuration, asked, key: JSON.stringify([configuration, asked]) };
}

/** What an embedder is asked for a query: the vector of its text, or of the one search fragment that it fills. */
function askedOf(config: EmbedderConfig, q: string | null, media: Media): EmbeddingQuestion {
  const side = sourceOf(config) === 'composite' ? (config.searchEmbedder as EmbedderConfig) : config;
  const fragments = (side.searchFragments ?? {}) as SearchFragments;
  const hasMedia = media !== null && media !== undefined;
  if (Object.keys(fragments).length > 0)
    return { kind: 'fill', fragments, variables: { ...(q === null ? {} : { q }), ...(hasMedia ? { media } : {}) } };
  if (hasMedia) throw apiError('vector_embedding_error', 'noFragments');
  return { kind: 'embed', inputs: [{ kind: 'text', text: q ?? '' }], side: 'search' };
}

/** How messages name an embedder. */
function shownSource(configuration: EmbedderConfiguration): string {
  if (configuration.source === 'composite') return shownSource(configuration.searchEmbedder);
  const { url } = configuration as { readonly url?: string };
  return url === undefined ? 'The embedder' : `The embedding provider at ${shownUrl(url)}`;
}
