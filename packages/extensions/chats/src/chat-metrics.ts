import { Counter, Histogram, Registry } from 'prom-client';
import type { ChatOutcome } from './conversation/open-conversations.js';

const TIME_BUCKETS_SECONDS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500];

/** Number of models that have series of their own, and the maximal length of their names. */
const MODELS_MAX = 50;
const MODEL_UNITS_MAX = 100;

/** The figures of one finished conversation. */
export interface ChatRecord {
  readonly workspace: string;
  readonly source: string;
  /** The name in the request. */
  readonly model: string;
  readonly outcome: ChatOutcome;
  readonly seconds: number;
  readonly roundCount: number;
  readonly searchCount: number;
  /** Null where the provider did not report it. */
  readonly promptTokens: number | null;
  readonly completionTokens: number | null;
}

/** Prometheus metrics of conversations. */
export class ChatMetrics {
  private readonly registry = new Registry();
  private readonly conversations: Counter;
  private readonly rounds: Counter;
  private readonly searches: Counter;
  private readonly promptTokens: Counter;
  private readonly completionTokens: Counter;
  private readonly tokens: Counter;
  private readonly seconds: Histogram;
  private readonly models = new Set<string>();

  constructor() {
    const { registry } = this;
    const counter = (name: string, help: string, labelNames: string[]): Counter =>
      new Counter({ name: `meilisearch_chat_${name}_total`, help, labelNames, registers: [registry] });
    this.conversations = counter('conversations', 'Conversations that ended', ['workspace', 'source', 'outcome']);
    this.rounds = counter('rounds', 'Requests to the providers of conversations', ['workspace', 'source']);
    this.searches = counter('searches', 'Searches of conversations', ['workspace', 'source', 'type']);
    this.promptTokens = counter('prompt_tokens', 'Tokens that models read, where told', [
      'workspace',
      'source',
      'model',
    ]);
    this.completionTokens = counter('completion_tokens', 'Tokens that models wrote, where told', [
      'workspace',
      'source',
      'model',
    ]);
    this.tokens = counter('tokens', 'Tokens that models read and wrote, where told', ['workspace', 'source', 'model']);
    this.seconds = new Histogram({
      name: 'meilisearch_chat_duration_seconds',
      help: 'Seconds from a request for a conversation to the end of its answer',
      labelNames: ['workspace', 'source'],
      buckets: TIME_BUCKETS_SECONDS,
      registers: [registry],
    });
  }

  text(): Promise<string> {
    return this.registry.metrics();
  }

  record({ workspace, source, model, outcome, seconds, ...counts }: ChatRecord): void {
    const labels = { workspace, source };
    this.conversations.inc({ ...labels, outcome });
    this.rounds.inc(labels, counts.roundCount);
    this.searches.inc({ ...labels, type: 'internal' }, counts.searchCount);
    const ofModel = { ...labels, model: this.modelName(model) };
    const [read, written] = [counts.promptTokens ?? 0, counts.completionTokens ?? 0];
    this.promptTokens.inc(ofModel, read);
    this.completionTokens.inc(ofModel, written);
    this.tokens.inc(ofModel, read + written);
    this.seconds.observe(labels, seconds);
  }

  /** Clients choose the names of models, so only the first MODELS_MAX get series of their own. */
  private modelName(model: string): string {
    const name = model.slice(0, MODEL_UNITS_MAX);
    if (this.models.has(name)) return name;
    if (this.models.size >= MODELS_MAX) return 'other';
    this.models.add(name);
    return name;
  }
}
