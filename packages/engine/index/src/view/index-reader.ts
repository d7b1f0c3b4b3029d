import {
  beforeTimeBudget,
  checkWhole,
  compareBytes,
  type DocId,
  MAX_DOCUMENT_ID_BYTES,
  type SegmentId,
} from '@fossick/base';
import { orExpired } from '@fossick/columns';
import { decodeDocument, decodeFields, documentText, fieldTexts } from '@fossick/documents';
import {
  documentKey,
  externalIdKey,
  type IndexManifest,
  type PageChanges,
  type RowReader,
  readChanges,
  readFieldNames,
  readManifest,
  readVersion,
  settingsRow,
  TABLES,
} from '@fossick/format';
import type { Bitmap, Kernel, Structures } from '@fossick/kernel';
import type { SearchMemory } from '@fossick/kernel/memory';
import { type IndexSettings, tokenizerOptions } from '@fossick/settings';
import { createTokenizer, type Tokenizer, type TokenizerOptions } from '@fossick/tokenizer';
import { LIVE_PAGES } from '../documents/doc-pages.js';
import { livePages } from '../documents/document-sets.js';
import { decodeSettings } from '../documents/stored-settings.js';
import type { IndexView, WithForeign } from './index-view.js';
import { QueryResultCache } from './query-result-cache.js';
import { bitCountFor, ResidentDocs } from './resident-docs.js';
import { SegmentReader } from './segment-reader.js';
import { ViewHoldings } from './view-holdings.js';
import { ViewRows } from './view-rows.js';

const NOTHING_HIDDEN: HiddenDocs = { count: 0, nextMs: Number.POSITIVE_INFINITY };

const NO_ROW = new Uint8Array(0);

/** Tokenizers built from settings. Settings with the same `key` have the same tokenizers. */
interface Tokenizers {
  readonly settings: IndexSettings;
  readonly key: string;
  readonly query: Tokenizer;
  readonly formatting: Tokenizer;
}

/** The row of a document, before it is decoded. */
function wholeRow(bytes: Uint8Array): Uint8Array {
  checkWhole(bytes.length);
  return bytes;
}

/** The same view under another uid. Its members stay lazy. */
function renamedView(view: IndexView, uid: string): IndexView {
  return Object.defineProperties(
    {},
    { ...Object.getOwnPropertyDescriptors(view), uid: { value: uid, enumerable: true } },
  ) as IndexView;
}

/** What the thread shares between its indexes. */
export interface IndexReaderOptions {
  /** None when absent. */
  readonly queryResults?: QueryResultCache;
  /** See OpenEngineOptions. */
  readonly isEnding?: (() => boolean) | undefined;
  /** Whether views lack documents that have expired. */
  readonly hidesExpired?: boolean;
}

/** One index as a thread has it open: its segments stay loaded between views and follow the manifest. */
export class IndexReader {
  readonly kernel: Kernel;
  private readonly memory: SearchMemory;
  private readonly name: string;
  private readonly withForeign: WithForeign;
  private readonly queryResults: QueryResultCache;
  private view: IndexView | undefined;
  private version = -1;
  private userCount = 0;
  private readonly segments = new Map<SegmentId, SegmentReader>();
  private readonly documents: ResidentDocs;
  /** The settings read last. Most commits do not change them, and tokenizers and caches are derived from them. */
  private known: { readonly row: Uint8Array | undefined; readonly settings: IndexSettings } | undefined;
  private tokenizers: Tokenizers | undefined;
  private readonly rows: ViewRows;
  private readonly holdings: ViewHoldings;
  private readonly structures: Structures;
  private readonly hidesExpired: boolean;
  /** Of the present view. */
  private hidden: HiddenDocs = NOTHING_HIDDEN;

  constructor(
    kernel: Kernel,
    memory: SearchMemory,
    name: string,
    withForeign: WithForeign,
    { queryResults = new QueryResultCache(0), isEnding, hidesExpired = false }: IndexReaderOptions = {},
  ) {
    this.hidesExpired = hidesExpired;
    this.rows = new ViewRows(isEnding);
    this.kernel = kernel;
    this.memory = memory;
    this.name = name;
    this.withForeign = withForeign;
    this.queryResults = queryResults;
    this.documents = new ResidentDocs(kernel, memory);
    this.holdings = new ViewHoldings(memory);
    this.structures = kernel.structures.scope(`${name}/`);
  }

  /** Documents of the last view; 0 before the first. */
  get documentCount(): number {
    return this.view?.documentCount ?? 0;
  }

  /** Whether a view of the index is in use. */
  get isInUse(): boolean {
    return this.userCount > 0;
  }

  /**
   * The view of the commit of `rows`, which costs one read when nothing changed; it reads from them until `leave`. While a view is in
   * use (several searches of one request) the same one is returned, and `rows` are ignored: a newer one would free the memory of the
   * first. Every `enter` needs a `leave`.
   */
  enter(uid: string, rows: RowReader | undefined): IndexView {
    if (!this.isInUse) this.begin(uid, rows!);
    this.userCount += 1;
    const view = this.view!;
    if (view.uid === uid) return view;
    this.view = renamedView(view, uid);
    return this.view;
  }

  leave(): void {
    this.userCount -= 1;
    if (!this.isInUse) this.rows.end();
  }

  /** Frees all kernel memory. */
  close(): void {
    this.holdings.drop();
    for (const segment of this.segments.values()) segment.close();
    this.segments.clear();
    this.documents.free();
    this.view = undefined;
    this.version = -1;
    this.hidden = NOTHING_HIDDEN;
  }

  private begin(uid: string, rows: RowReader): void {
    this.rows.begin(rows);
    // what is loaded of a commit before an error is loaded again
    beforeTimeBudget(() => this.beginLoaded(uid));
  }

  private beginLoaded(uid: string): void {
    try {
      const version = readVersion(this.rows);
      if (this.view !== undefined && version === this.version && !this.isOutdated()) return;
      const before = this.view === undefined ? undefined : this.version;
      // a partly loaded state belongs to no commit
      this.view = undefined;
      this.holdings.drop();
      this.load(uid, version, before === undefined ? undefined : this.changesSince(before, version));
      this.version = version;
    } catch (error) {
      this.rows.end();
      throw error;
    }
  }

  /** Whether a document of the present view has expired since. */
  private isOutdated(): boolean {
    return this.hidden.nextMs !== Number.POSITIVE_INFINITY && Date.now() >= this.hidden.nextMs;
  }

  /** Pages that differ from those of the present view; undefined when any may, as where it hides documents. */
  private changesSince(before: number, version: number): PageChanges | undefined {
    if (this.hidden.count > 0) return undefined;
    return before === version ? new Map() : readChanges(this.rows, before, version);
  }

  /** @param changes pages that differ from the previous view's; undefined when any page may */
  private load(uid: string, version: number, changes: PageChanges | undefined): void {
    const manifest = readManifest(this.rows);
    const settings = this.settings();
    const bitCount = bitCountFor(manifest.docIdBound);
    const fieldNames = readFieldNames(this.rows);
    const segments = this.followSegments(manifest, fieldNames.length, changes);
    const changed = changes === undefined ? undefined : (changes.get(LIVE_PAGES.segmentId) ?? []);
    const documents = this.documents.follow(livePages(this.rows, manifest), bitCount, changed);
    const { expiryAttribute } = settings;
    const nowMs = Date.now();
    this.hidden =
      this.hidesExpired && expiryAttribute !== null
        ? hideExpired(this.kernel, { segments, documents, bitCount }, expiryAttribute, nowMs)
        : NOTHING_HIDDEN;
    // what is cached by version must not outlive a document in it
    const shownAt = this.hidesExpired && expiryAttribute !== null ? `@${nowMs}` : '';
    const tokenizers = (): Tokenizers => this.tokenizersOf(settings);
    const { rows, kernel } = this;
    const texts = fieldTexts(fieldNames);
    this.view = {
      uid,
      kernel: this.kernel,
      primaryKey: manifest.primaryKey,
      settings,
      version: `${this.name}:${version}${shownAt}`,
      fieldNames,
      segments,
      bitCount,
      documentCount: manifest.documentCount - this.hidden.count,
      documents,
      // Lazy: building it is slow for a dictionary of a hundred thousand words, and many lookups do not need it.
      get queryTokenizer() {
        return tokenizers().query;
      },
      get formattingTokenizer() {
        return tokenizers().formatting;
      },
      memory: this.memory,
      holdings: this.holdings,
      withForeign: this.withForeign,
      queryResults: this.queryResults,
      document(docId) {
        return rows.read(TABLES.documents, documentKey(docId), (bytes) => decodeDocument(wholeRow(bytes), fieldNames));
      },
      documentFields(docId) {
        return rows.read(TABLES.documents, documentKey(docId), (bytes) => decodeFields(wholeRow(bytes), fieldNames));
      },
      documentText(docId) {
        return rows.read(TABLES.documents, documentKey(docId), (bytes) => documentText(wholeRow(bytes), texts));
      },
      get needDocuments() {
        const { need } = rows;
        return need && ((docIds: readonly DocId[]) => need(TABLES.documents, docIds.map(documentKey)));
      },
      docIdOf(externalId) {
        if (externalId === '' || externalId.length > MAX_DOCUMENT_ID_BYTES) return undefined;
        const bytes = rows.get(TABLES.ids, externalIdKey(externalId));
        if (bytes === undefined) return undefined;
        const docId = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0) as DocId;
        // A running batch may have committed rows of documents that do not exist yet (uncommitted-rows.ts).
        return docId < bitCount && kernel.bitmaps.has(documents, docId) ? docId : undefined;
      },
    };
  }

  /** Opens new segments, closes dropped ones and updates the deleted documents of the others. */
  private followSegments(
    manifest: IndexManifest,
    fieldCount: number,
    changes: PageChanges | undefined,
  ): SegmentReader[] {
    const kept = new Set(manifest.segments.map((info) => info.id));
    for (const [id, segment] of this.segments) {
      if (kept.has(id)) continue;
      segment.close();
      this.segments.delete(id);
    }
    return manifest.segments.map((info) => {
      let segment = this.segments.get(info.id);
      if (segment === undefined) {
        segment = new SegmentReader(this.kernel, this.memory, this.rows, info, this.structures);
        this.segments.set(info.id, segment);
      }
      segment.refresh(info, manifest, fieldCount, changes === undefined ? undefined : (changes.get(info.id) ?? []));
      return segment;
    });
  }

  private settings(): IndexSettings {
    const row = settingsRow(this.rows);
    const isSame = this.known !== undefined && compareBytes(row ?? NO_ROW, this.known.row ?? NO_ROW) === 0;
    if (!isSame) this.known = { row, settings: decodeSettings(row) };
    return this.known!.settings;
  }

  private tokenizersOf(settings: IndexSettings): Tokenizers {
    if (this.tokenizers?.settings === settings) return this.tokenizers;
    const { stopWords, ...options } = tokenizerOptions(settings);
    const key = JSON.stringify([stopWords, options]);
    if (this.tokenizers?.key !== key) {
      this.tokenizers = { settings, key, ...sharedTokenizers(key, stopWords, options) };
    } else this.tokenizers = { ...this.tokenizers, settings };
    return this.tokenizers;
  }
}

/** Tokenizers of this thread by their settings, the latest last: most indexes have the same, and the first search of each would make its own. */
const tokenizersByKey = new Map<string, Pick<Tokenizers, 'query' | 'formatting'>>();
const SHARED_TOKENIZERS_MAX = 16;
/** Characters of settings with a large dictionary: their tokenizers belong to their index. */
const SHARED_KEY_MAX = 4_096;

function sharedTokenizers(
  key: string,
  stopWords: readonly string[],
  options: Omit<TokenizerOptions, 'stopWords'>,
): Pick<Tokenizers, 'query' | 'formatting'> {
  const known = tokenizersByKey.get(key);
  if (known !== undefined) return known;
  const formatting = createTokenizer(options);
  const query = stopWords.length === 0 ? formatting : createTokenizer({ ...options, stopWords });
  const made = { query, formatting };
  if (key.length > SHARED_KEY_MAX) return made;
  tokenizersByKey.set(key, made);
  const [oldest] = tokenizersByKey.keys();
  if (tokenizersByKey.size > SHARED_TOKENIZERS_MAX) tokenizersByKey.delete(oldest!);
  return made;
}

/** What a view hides because it has expired. */
interface HiddenDocs {
  readonly count: number;
  /** When the next document may expire, in milliseconds since 1970; Infinity for never. */
  readonly nextMs: number;
}

/**
 * Removes the documents that have expired at `nowMs` from `documents`, and marks them as deleted in their segments: then
 * everything that reads the view takes them for deleted. Only between views. O(segments log values + expired documents)
 */
function hideExpired(
  kernel: Kernel,
  { segments, documents, bitCount }: { segments: readonly SegmentReader[]; documents: Bitmap; bitCount: number },
  attribute: string,
  nowMs: number,
): HiddenDocs {
  const { bitmaps, memory } = kernel;
  const mark = memory.mark();
  const all = bitmaps.create(bitCount);
  let nextMs = Number.POSITIVE_INFINITY;
  for (const segment of segments) {
    const column = segment.column(attribute);
    if (column === undefined) continue;
    const ofSegment = memory.mark();
    const expired = bitmaps.create(bitCount);
    nextMs = Math.min(nextMs, orExpired(expired, column, nowMs));
    if (!bitmaps.isEmpty(expired)) {
      segment.hide(expired);
      bitmaps.or(all, expired);
    }
    memory.release(ofSegment);
  }
  bitmaps.and(all, documents);
  const count = bitmaps.count(all);
  bitmaps.andNot(documents, all);
  memory.release(mark);
  return { count, nextMs };
}
