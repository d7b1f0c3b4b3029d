import type { Kernel, Ptr } from '@fossick/kernel';
import { createTokenizer, type Tokenizer } from '@fossick/tokenizer';
import { decodeDocument } from '../documents/document-codec.js';
import { documentText, fieldTexts } from '../documents/document-text.js';
import * as state from '../indexing/index-state.js';
import { documentKey, externalIdKey, type RowReader, TABLES } from '../indexing/rows.js';
import type { IndexSettings } from '../settings/settings.js';
import { tokenizerOptions } from '../settings/tokenizer-options.js';
import type { IndexView, WithForeign } from './index-view.js';
import { KeptAnswers } from './kept-answers.js';
import { OpenSegment } from './open-segment.js';
import { writeResidentBitmap } from './resident-bitmap.js';
import type { SearchMemory } from './search-memory.js';
import { ViewRows } from './view-rows.js';

/** Tokenizers of settings. `key` tells settings apart that make others. */
interface Tokenizers {
  readonly settings: IndexSettings;
  readonly key: string;
  readonly query: Tokenizer;
  readonly formatting: Tokenizer;
}

/** The same view under another uid, and nothing of it made that was not asked for. */
function renamedView(view: IndexView, uid: string): IndexView {
  return Object.defineProperties(
    {},
    { ...Object.getOwnPropertyDescriptors(view), uid: { value: uid, enumerable: true } },
  ) as IndexView;
}

/** One index as a thread has it open: its segments stay loaded from view to view and follow the manifest. */
export class OpenIndex {
  private view: IndexView | undefined;
  private version = -1;
  private userCount = 0;
  private readonly segments = new Map<number, OpenSegment>();
  private documents: Ptr = 0;
  private tokenizers: Tokenizers | undefined;
  private readonly rows = new ViewRows();

  constructor(
    readonly kernel: Kernel,
    private readonly memory: SearchMemory,
    private readonly name: string,
    private readonly withForeign: WithForeign,
    private readonly answers = new KeptAnswers(0),
  ) {}

  /** Whether a view of it is in use. */
  get isInUse(): boolean {
    return this.userCount > 0;
  }

  /**
   * The view of the commit that `rows` are of, which costs one read when nothing changed; everything it shows is read from them until
   * `leave`. While a view is in use (several searches of one request) the same one is given again, and `rows` are not looked at: a newer
   * one would free what the first holds. Every `enter` is ended by `leave`.
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
    for (const segment of this.segments.values()) segment.close();
    this.segments.clear();
    if (this.documents !== 0) this.kernel.free(this.documents);
    this.documents = 0;
    this.view = undefined;
    this.version = -1;
  }

  private begin(uid: string, rows: RowReader): void {
    this.rows.begin(rows);
    try {
      const version = state.readVersion(this.rows);
      if (this.view !== undefined && version === this.version) return;
      // what is half loaded is of no commit
      this.view = undefined;
      this.load(uid, version);
      this.version = version;
    } catch (error) {
      this.rows.end();
      throw error;
    }
  }

  private load(uid: string, version: number): void {
    const manifest = state.readManifest(this.rows);
    const settings = state.readSettings(this.rows);
    const bitCount = Math.max(1, manifest.docIdBound);
    const fieldNames = state.readFieldNames(this.rows);
    const segments = this.followSegments(manifest.segments, bitCount, fieldNames.length);
    if (this.documents !== 0) this.kernel.free(this.documents);
    this.documents = writeResidentBitmap(this.kernel, state.readLiveDocuments(this.rows), bitCount);
    const tokenizers = (): Tokenizers => this.tokenizersOf(settings);
    const { rows, kernel, documents } = this;
    const texts = fieldTexts(fieldNames);
    this.view = {
      uid,
      kernel: this.kernel,
      primaryKey: manifest.primaryKey,
      settings,
      version: `${this.name}:${version}`,
      fieldNames,
      segments,
      bitCount,
      documentCount: manifest.documentCount,
      documents: this.documents,
      // Made when they are asked for: of a dictionary of a hundred thousand words that takes its time, and not every look needs them.
      get queryTokenizer() {
        return tokenizers().query;
      },
      get formattingTokenizer() {
        return tokenizers().formatting;
      },
      memory: this.memory,
      withForeign: this.withForeign,
      answers: this.answers,
      document(docId) {
        return rows.read(TABLES.documents, documentKey(docId), (bytes) => decodeDocument(bytes, fieldNames));
      },
      documentText(docId) {
        return rows.read(TABLES.documents, documentKey(docId), (bytes) => documentText(bytes, texts));
      },
      docIdOf(externalId) {
        if (externalId === '' || externalId.length > 511) return undefined;
        const bytes = rows.get(TABLES.ids, externalIdKey(externalId));
        if (bytes === undefined) return undefined;
        const docId = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0);
        // A batch that is being written may have committed rows of documents that are not there yet (staged-rows.ts).
        return docId < bitCount && kernel.has(documents, docId) ? docId : undefined;
      },
    };
  }

  /** Opens new segments, closes dropped ones and brings the dead documents of the others up to date. */
  private followSegments(infos: readonly state.SegmentInfo[], bitCount: number, fieldCount: number): OpenSegment[] {
    const kept = new Set(infos.map((info) => info.id));
    for (const [id, segment] of this.segments) {
      if (kept.has(id)) continue;
      segment.close();
      this.segments.delete(id);
    }
    return infos.map((info) => {
      let segment = this.segments.get(info.id);
      if (segment === undefined) {
        segment = new OpenSegment(this.kernel, this.memory, this.rows, info);
        this.segments.set(info.id, segment);
      }
      segment.refresh(info, bitCount, fieldCount);
      return segment;
    });
  }

  private tokenizersOf(settings: IndexSettings): Tokenizers {
    if (this.tokenizers?.settings === settings) return this.tokenizers;
    const { stopWords, ...options } = tokenizerOptions(settings);
    const key = JSON.stringify([stopWords, options]);
    if (this.tokenizers?.key !== key) {
      const formatting = createTokenizer(options);
      const query = stopWords.length === 0 ? formatting : createTokenizer({ ...options, stopWords });
      this.tokenizers = { settings, key, query, formatting };
    } else this.tokenizers = { ...this.tokenizers, settings };
    return this.tokenizers;
  }
}
