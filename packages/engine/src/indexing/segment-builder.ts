import type { Inverter, Kernel } from '@fossick/kernel';
import type { Tokenizer } from '@fossick/tokenizer';
import type { FieldNames } from '../documents/field-names.js';
import type { JsonObject } from '../documents/parse-document.js';
import { isFacetedField } from '../facets/index.js';
import { boxOf, GeoBoxWriter, geometriesOf } from '../geojson/index.js';
import type { IndexSettings } from '../settings/settings.js';
import { encodeWords, sortByBytes } from './byte-order.js';
import { ByteWriter } from './byte-codec.js';
import { DocSet, encodeDocSet } from './doc-set.js';
import { SegmentFacets } from './segment-facets.js';
import { FieldPlans } from './field-plans.js';
import type { SegmentInfo } from './index-state.js';
import { fieldChunk, PARTS, putChunks, type RowSink, type SegmentPart } from './rows.js';
import { WordCollector } from './word-collector.js';
import { WordCountTable } from './word-counts.js';

export interface SegmentBuilderOptions {
  readonly kernel: Kernel;
  readonly inverter: Inverter;
  readonly tokenizer: Tokenizer;
  readonly settings: IndexSettings;
  readonly fields: FieldNames;
}

/** Collects documents of one segment in memory and writes them as its rows. Each document is added once. */
export class SegmentBuilder {
  readonly docs = new DocSet();
  private readonly wordCounts = new WordCountTable();
  private readonly facets: SegmentFacets;
  private readonly words: WordCollector;
  private readonly boxes: GeoBoxWriter | undefined;

  constructor(private readonly options: SegmentBuilderOptions) {
    const { inverter, tokenizer, settings, fields } = options;
    this.facets = new SegmentFacets(settings);
    this.boxes = isFacetedField(settings, '_geojson') ? new GeoBoxWriter() : undefined;
    this.words = new WordCollector(inverter, tokenizer, new FieldPlans(fields, settings), this.wordCounts, settings);
  }

  /** Rough bytes held, in and out of the kernel. */
  get heldBytes(): number {
    const { inverter } = this.options;
    const tables = this.wordCounts.heldBytes + this.facets.heldBytes + (this.boxes?.heldBytes ?? 0);
    return inverter.heldBytes + this.words.heldBytes + tables;
  }

  add(docId: number, document: JsonObject): void {
    this.docs.add(docId);
    this.words.addDocument(docId, document);
    this.facets.addDocument(docId, document);
    this.addShape(docId, document['_geojson']);
  }

  /** Shapes were checked when their document came in. */
  private addShape(docId: number, value: unknown): void {
    if (this.boxes === undefined || value === undefined || value === null) return;
    const box = boxOf(geometriesOf(value));
    if (box !== undefined) this.boxes.add(docId, box);
  }

  /** Writes all rows of the segment and resets the inverter. */
  write(sink: RowSink, segmentId: number): SegmentInfo {
    const tolerant = this.writeTable(sink, segmentId, this.words.tolerantTerms, TOLERANT_PARTS);
    const exact = this.writeTable(sink, segmentId, this.words.exactTerms, EXACT_PARTS);
    this.options.inverter.reset();
    putChunks(sink, segmentId, PARTS.docs, encodeDocSet(this.docs));
    putChunks(sink, segmentId, PARTS.wordCounts, this.wordCounts.encode());
    if (this.boxes !== undefined) putChunks(sink, segmentId, PARTS.geoBoxes, this.boxes.encode());
    const facetFields: string[] = [];
    const facetFieldIds: number[] = [];
    for (const [field, column] of this.facets.columns()) {
      const fieldId = this.options.fields.add(field);
      putChunks(sink, segmentId, PARTS.facetColumn, column, fieldChunk(fieldId));
      facetFields.push(field);
      facetFieldIds.push(fieldId);
    }
    return {
      id: segmentId,
      docCount: this.docs.count,
      deadCount: 0,
      wordCounts: [this.words.tolerantTerms.size, this.words.exactTerms.size],
      postingBytes: tolerant + exact,
      facetFields,
      facetFieldIds,
    };
  }

  /** Answers the bytes of the postings. */
  private writeTable(sink: RowSink, segmentId: number, terms: ReadonlyMap<string, number>, parts: TableParts): number {
    if (terms.size === 0) return 0;
    const words = sortByBytes([...terms.keys()]);
    const order = new Uint32Array(words.length);
    for (let i = 0; i < words.length; i++) order[i] = terms.get(words[i]!)!;
    const { postings, offsets } = this.options.inverter.encode(order);
    putChunks(sink, segmentId, parts.dictionary, this.options.kernel.buildDictionary(encodeWords(words)));
    putChunks(sink, segmentId, parts.offsets, encodeOffsets(offsets));
    putChunks(sink, segmentId, parts.postings, postings);
    return postings.length;
  }
}

/** The three parts of one word table. */
export interface TableParts {
  readonly dictionary: SegmentPart;
  readonly offsets: SegmentPart;
  readonly postings: SegmentPart;
}
export const TOLERANT_PARTS: TableParts = {
  dictionary: PARTS.tolerantDictionary,
  offsets: PARTS.tolerantOffsets,
  postings: PARTS.tolerantPostings,
};
export const EXACT_PARTS: TableParts = {
  dictionary: PARTS.exactDictionary,
  offsets: PARTS.exactOffsets,
  postings: PARTS.exactPostings,
};

/** Posting offsets as the varint lengths of the lists; offsets[0] is 0. */
export function encodeOffsets(offsets: Uint32Array): Uint8Array {
  const writer = new ByteWriter(offsets.length * 2);
  for (let i = 1; i < offsets.length; i++) writer.varint(offsets[i]! - offsets[i - 1]!);
  return writer.bytes();
}
