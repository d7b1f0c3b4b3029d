import { createHash } from 'node:crypto';
import { apiError } from '@fossick/base';
import type { Instance } from '@fossick/runtime';
import type { SuggestionSettings } from '../description.js';
import { ANALYTICS_INDEX_UID } from '../documents/index-uid.js';
import type { HourDocument } from '../documents/port.js';
import { PUBLISH_MS } from '../documents/publisher.js';
import { HOUR_MS, hourOf } from '../records/record-log.js';
import { DEFAULT_SUGGESTIONS, makeSuggestions, type Suggestion } from '../suggestions/suggestions.js';
import { hasSortable, putDocuments, settingsOf } from './analytics-index.js';

const VALUE = 'query-suggestions';
const SETTINGS = {
  searchableAttributes: ['query'],
  filterableAttributes: ['index', 'run'],
  sortableAttributes: ['searches', 'clicks'],
  rankingRules: ['words', 'typo', 'proximity', 'attribute', 'sort', 'exactness', 'searches:desc'],
  displayedAttributes: ['query', 'index', 'searches', 'clicks'],
};

/** Keeps the index of suggestions fresh: reads the counts, and writes the queries that the settings let through, by ordinary tasks. */
export class SuggestionKeeper {
  private readonly instance: Instance;
  private readonly rowsFrom: (hour: number) => Promise<readonly HourDocument[]>;
  private readonly onFault: (error: unknown) => void;
  private lastMs = 0;
  /** What was written last, as a digest. */
  private written = '';
  /** The settings, until they change. */
  private kept: SuggestionSettings | undefined;

  constructor(
    instance: Instance,
    rowsFrom: (hour: number) => Promise<readonly HourDocument[]>,
    onFault: (error: unknown) => void,
  ) {
    this.instance = instance;
    this.rowsFrom = rowsFrom;
    this.onFault = onFault;
    instance.values.onChange(VALUE, () => {
      this.kept = undefined;
      this.lastMs = 0;
    });
  }

  /** The index that suggestions are written to; null while they are off. */
  get keptIndexUid(): string | null {
    this.kept ??= this.settings();
    return this.kept.enabled ? this.kept.indexUid : null;
  }

  settings(): SuggestionSettings {
    return { ...DEFAULT_SUGGESTIONS, ...(this.instance.values.get(VALUE) as Partial<SuggestionSettings> | undefined) };
  }

  /**
   * Changes the given settings; null resets one. The suggestions follow with the next tick. @throws ApiError
   * invalid_suggestions_index_uid for an index with other documents
   */
  async change(given: { readonly [K in keyof SuggestionSettings]?: SuggestionSettings[K] | null | undefined }) {
    const indexUid = given.indexUid ?? DEFAULT_SUGGESTIONS.indexUid;
    if (given.indexUid !== undefined && !this.mayWrite(indexUid))
      throw apiError('invalid_suggestions_index_uid', indexUid);
    await this.instance.values.change(VALUE, (stored) => {
      const known = { ...DEFAULT_SUGGESTIONS, ...(stored as Partial<SuggestionSettings> | undefined) };
      const members = Object.entries(given).filter(([, value]) => value !== undefined);
      const defaults = new Map<string, unknown>(Object.entries(DEFAULT_SUGGESTIONS));
      return { ...known, ...Object.fromEntries(members.map(([name, value]) => [name, value ?? defaults.get(name)])) };
    });
  }

  async reset(): Promise<void> {
    await this.instance.values.change(VALUE, () => DEFAULT_SUGGESTIONS);
  }

  /** Called each second; does something after each period. */
  async tick(nowMs: number, periodMs = PUBLISH_MS): Promise<void> {
    if (nowMs - this.lastMs < periodMs) return;
    this.lastMs = nowMs;
    const settings = this.settings();
    if (!settings.enabled) return;
    try {
      const rows = await this.rowsFrom(hourOf(nowMs - settings.days * 24 * HOUR_MS));
      await this.write(settings.indexUid, makeSuggestions(rows, settings));
    } catch (error) {
      this.onFault(error);
    }
  }

  /** Whether an index is that of suggestions, or there is none. */
  private mayWrite(indexUid: string): boolean {
    const { engine } = this.instance;
    if (indexUid === ANALYTICS_INDEX_UID) return false;
    return engine.index(indexUid) === undefined || hasSortable(engine.settings(indexUid), SETTINGS.sortableAttributes);
  }

  /** Nothing is written while the suggestions are the same. Each run marks its documents, and deletes those of the runs before. */
  private async write(indexUid: string, suggestions: readonly Suggestion[]): Promise<void> {
    const { engine, intake } = this.instance;
    const run = createHash('sha256')
      .update(JSON.stringify([indexUid, suggestions]))
      .digest('hex')
      .slice(0, 16);
    const isNew = engine.index(indexUid) === undefined;
    if (run === this.written && !isNew) return;
    if (isNew && suggestions.length === 0) return;
    if (!this.mayWrite(indexUid)) throw apiError('invalid_suggestions_index_uid', indexUid);
    const first = isNew ? [settingsOf(indexUid, SETTINGS)] : [];
    if (suggestions.length > 0)
      await putDocuments(
        this.instance,
        indexUid,
        suggestions.map((suggestion) => ({ ...suggestion, run })),
        first,
      );
    const target = { by: 'filter', filter: `run EXISTS AND run != "${run}"` } as const;
    await intake.enqueue({ type: 'documentDeletion', indexUid, target });
    this.written = run;
  }
}
