import { randomBytes, randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Instance } from '@fossick/runtime';
import type { ExtensionHost } from '@fossick/runtime/extension';
import type { ReportAnswer } from '../description.js';
import type { HourDocument } from '../documents/port.js';
import { HourPublisher } from '../documents/publisher.js';
import type { AnalyticsOptions } from '../options.js';
import { HOUR_MS } from '../records/record-log.js';
import { makeReport, type ReportRange } from '../reports/report.js';
import { readRows } from '../reports/rows.js';
import { SearchAnalytics } from '../search-analytics.js';
import { InstanceAnalyticsIndex } from './analytics-index.js';
import { SuggestionKeeper } from './suggestion-keeper.js';

const SECRET_VALUE = 'search-analytics-secret';
const SECRET_BYTES = 32;
const TICK_MS = 1_000;
/** How long a stopping server waits for tasks that are being registered. */
const STOP_MS = 2_000;
/** Share of the bytes for records that are not counted in documents yet: the rest is for the index. */
const RECORD_SHARE = 0.5;

export interface ServerAnalyticsOptions {
  /** Null: nothing is counted, and only what was counted before is shown. */
  readonly options: AnalyticsOptions | null;
  readonly host: ExtensionHost;
  /** How often the counts of the running hour are stored; for tests. */
  readonly periodMs: number | undefined;
}

/** Search analytics of a server: what records searches, stores the counts and reads them, and the suggestions made of them. */
export class ServerAnalytics {
  /** Undefined when search analytics are off. */
  readonly recorder: SearchAnalytics | undefined;
  readonly suggestions: SuggestionKeeper;
  private readonly index: InstanceAnalyticsIndex;
  private readonly publisher: HourPublisher | undefined;
  private readonly timer: NodeJS.Timeout | undefined;
  private readonly node: string;
  private work: Promise<void> = Promise.resolve();

  constructor({ options, host, periodMs }: ServerAnalyticsOptions) {
    const { instance } = host;
    const onFault = (error: unknown): void => host.onFault(error);
    this.index = new InstanceAnalyticsIndex(instance);
    this.suggestions = new SuggestionKeeper(instance, (from) => this.rows(from, nowSeconds() + 1, null), onFault);
    if (options === null) {
      this.node = '';
      return;
    }
    const folder = host.folder();
    this.node = nodeName(join(folder, 'node'));
    const secret = secretOf(instance, onFault);
    const recordBytes = Math.floor(options.bytesMax * RECORD_SHARE);
    const recorder = new SearchAnalytics({
      folder,
      bytesMax: recordBytes,
      keepsQueries: options.keepsQueries,
      secret,
      onFault,
    });
    this.recorder = recorder;
    const publisher = new HourPublisher(
      {
        index: this.index,
        hours: () => recorder.publishedHours(),
        onStored: (hour) => recorder.forget(hour),
        node: this.node,
        keptMs: options.days * 24 * HOUR_MS,
        bytesMax: options.bytesMax - recordBytes,
        ...(periodMs === undefined ? {} : { periodMs }),
        onFault,
      },
      Date.now(),
    );
    this.publisher = publisher;
    const tick = async (): Promise<void> => {
      await publisher.tick(Date.now());
      // they are the same for all servers of the database
      if (host.leads()) await this.suggestions.tick(Date.now(), periodMs);
    };
    this.timer = setInterval(() => {
      this.work = tick().catch(onFault);
    }, TICK_MS).unref();
  }

  get isOn(): boolean {
    return this.recorder !== undefined;
  }

  /** What was searched, in the indexes that `allows` names; those stored and those in memory. */
  async report(
    range: ReportRange,
    indexUid: string | null,
    allows: (indexUid: string) => boolean,
  ): Promise<Omit<ReportAnswer, 'from' | 'to' | 'index'>> {
    const { rows, isPartial } = await this.readRows(range.from, range.to, indexUid);
    const losses = this.recorder?.losses();
    return {
      enabled: this.isOn,
      ...makeReport(
        rows.filter(({ index }) => allows(index)),
        range,
      ),
      isPartial,
      dropped: { records: losses?.records ?? 0, hours: (losses?.hours ?? 0) + (this.publisher?.refused ?? 0) },
    };
  }

  /** Writes what was recorded; the rest is done after the next start. */
  async close(): Promise<void> {
    clearInterval(this.timer);
    // without its leader a cluster takes no tasks: the documents are stored after the next start
    await Promise.race([this.work, new Promise((resolve) => setTimeout(resolve, STOP_MS).unref())]);
    await this.recorder?.close();
  }

  private async rows(from: number, to: number, indexUid: string | null): Promise<readonly HourDocument[]> {
    return (await this.readRows(from, to, indexUid)).rows;
  }

  private readRows(from: number, to: number, indexUid: string | null) {
    const live = this.recorder?.hours() ?? [];
    return readRows({ index: this.index, live, node: this.node }, { from, to, indexUid });
  }
}

const nowSeconds = (): number => Math.ceil(Date.now() / 1000);

/** The name of the documents of this node: the same after a restart, another one in a copy of the database elsewhere. */
function nodeName(file: string): string {
  try {
    const name = readFileSync(file, 'utf8').trim();
    if (/^[0-9a-f]{8}$/.test(name)) return name;
  } catch {
    // there is none yet
  }
  const made = randomUUID().slice(0, 8);
  writeFileSync(file, made);
  return made;
}

/** What user ids are hashed with: a value of the instance, which all nodes of a cluster share. */
function secretOf({ values }: Instance, onFault: (error: unknown) => void): () => string | undefined {
  const known = (): string | undefined => {
    const value = values.get(SECRET_VALUE);
    return typeof value === 'string' ? value : undefined;
  };
  let secret = known();
  if (secret === undefined) {
    const made = randomBytes(SECRET_BYTES).toString('base64url');
    values.change(SECRET_VALUE, (stored) => (typeof stored === 'string' ? stored : made)).catch(onFault);
  }
  return () => {
    secret ??= known();
    return secret;
  };
}
