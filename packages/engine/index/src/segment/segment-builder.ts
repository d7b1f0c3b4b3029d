import type { DocId, DocIds, LocalOrdinal, SegmentId } from '@fossick/base';
import type { GeoBoxWriter } from '@fossick/columns/building';
import { addShape, boxWriter, SegmentFacets, writeColumns } from '@fossick/columns/building';
import { decodeDocument, type FieldNames, type JsonObject } from '@fossick/documents/stored';
import type { SegmentInfo } from '@fossick/format/building';
import { DocSet, LIST_ROW_BYTES, NO_DOCUMENT, PARTS, putChunks, type SegmentRows } from '@fossick/format/building';
import type { Inverter, Kernel } from '@fossick/kernel';
import {
  type DocRange,
  EXACT_PARTS,
  FieldPlans,
  FUZZY_PARTS,
  SegmentWindows,
  WordCollector,
  WordCountTable,
  writeTable,
} from '@fossick/postings/building';
import type { IndexSettings } from '@fossick/settings';
import type { Tokenizer } from '@fossick/tokenizer';
import { quantizedNames, VectorCollector, writeVectors } from '@fossick/vectors/building';
import { docPagesOf, writePages } from '../documents/doc-pages.js';
import type { SegmentWriter } from './segment-writer.js';

/** Rough bytes of an ordinal and its reverse mapping. */
const DOC_ID_BYTES = 56;

export interface SegmentBuilderOptions {
  /** The kernel that owns the inverter. */
  readonly kernel: Kernel;
  readonly inverter: Inverter;
  readonly tokenizer: Tokenizer;
  readonly settings: IndexSettings;
  readonly fields: FieldNames;
}

/**
 * Collects documents of one segment in memory and writes them as its rows. An added document gets an ordinal of its own,
 * so that it can be removed and added again in another version: only ordinals are collected, and they are mapped to
 * docids when everything is written.
 */
export class SegmentBuilder implements SegmentWriter {
  private readonly options: SegmentBuilderOptions;
  readonly docs = new DocSet();
  private readonly docIds: DocId[] = [];
  private readonly ordinalOf = new Map<DocId, LocalOrdinal>();
  private readonly wordCounts = new WordCountTable();
  private readonly facets: SegmentFacets;
  private readonly words: WordCollector;
  private readonly boxes: GeoBoxWriter | undefined;
  private readonly vectors = new VectorCollector();

  /** Takes over the inverter until `write`. */
  constructor(options: SegmentBuilderOptions) {
    this.options = options;
    const { inverter, tokenizer, settings, fields } = options;
    inverter.reset();
    this.facets = new SegmentFacets(settings);
    this.boxes = boxWriter(settings);
    this.words = new WordCollector(inverter, tokenizer, new FieldPlans(fields, settings), this.wordCounts, settings);
  }

  /** Rough bytes held, inside and outside of the kernel. O(faceted fields). */
  get heldBytes(): number {
    const { inverter } = this.options;
    const tables =
      this.wordCounts.heldBytes + this.facets.heldBytes + (this.boxes?.heldBytes ?? 0) + this.vectors.heldBytes;
    return inverter.heldBytes + this.words.heldBytes + tables + this.docIds.length * DOC_ID_BYTES;
  }

  add(docId: DocId, row: Uint8Array, whole: JsonObject | undefined): void {
    this.addDocument(docId, whole ?? decodeDocument(row, this.options.fields.list));
  }

  /** The document must not be in the segment. */
  addDocument(docId: DocId, document: JsonObject): void {
    const ordinal = (this.docIds.push(docId) - 1) as LocalOrdinal;
    this.ordinalOf.set(docId, ordinal);
    this.docs.add(docId);
    this.words.addDocument(ordinal, document);
    this.facets.addDocument(ordinal, document);
    addShape(this.boxes, docId, document['_geojson']);
    if (document['_vectors'] !== undefined) this.vectors.add(docId, document['_vectors']);
  }

  /** Removes a document. False when it is not in the segment. O(1). */
  remove(docId: DocId): boolean {
    if (!this.docs.delete(docId)) return false;
    this.docIds[this.ordinalOf.get(docId)!] = NO_DOCUMENT;
    this.boxes?.remove(docId);
    this.vectors.remove(docId);
    return true;
  }

  /** Whether the document was added, even if it was removed since. */
  hasSeen(docId: DocId): boolean {
    return this.ordinalOf.has(docId);
  }

  /** Must be called after field names were rolled back: their ids may be reused for other fields. */
  forgetFieldIds(): void {
    this.words.replan(new FieldPlans(this.options.fields, this.options.settings));
  }

  /** Writes all rows of the segment and resets the inverter. */
  write(sink: SegmentRows, segmentId: SegmentId): SegmentInfo {
    const { kernel, inverter, fields, settings } = this.options;
    const docIds = Uint32Array.from(this.docIds) as DocIds;
    inverter.setDocIds(docIds);
    const windows = SegmentWindows.begin(kernel, sink, segmentId, docRangeOf(docIds), fields.count);
    const hasTrigrams = settings.substringAttributes.length > 0;
    const fuzzy = writeTable(sink, segmentId, inverter.table(0), FUZZY_PARTS, hasTrigrams ? kernel : null);
    windows?.addTable(0, inverter, fuzzy.wordCount);
    const exact = writeTable(sink, segmentId, inverter.table(1), EXACT_PARTS, hasTrigrams ? kernel : null);
    windows?.addTable(1, inverter, exact.wordCount);
    windows?.finish();
    windows?.close();
    inverter.reset();
    writePages(sink, docPagesOf(segmentId), this.docs);
    putChunks(sink, segmentId, PARTS.wordCounts, this.wordCounts.encode(docIds));
    const quantized = quantizedNames(settings);
    writeVectors(sink, segmentId, this.vectors.close(), kernel, (name) => quantized.has(name));
    const collected = { facets: this.facets, boxes: this.boxes, docIds };
    const columns = writeColumns(sink, segmentId, collected, fields);
    return {
      id: segmentId,
      docCount: this.docs.count,
      deadCount: 0,
      wordCounts: [fuzzy.wordCount, exact.wordCount],
      postingBytes: fuzzy.postingBytes + exact.postingBytes,
      rowBytes: LIST_ROW_BYTES,
      ...columns,
    };
  }
}

/** The documents that were not removed. */
function docRangeOf(docIds: DocIds): DocRange {
  let [firstDoc, lastDoc, docCount] = [NO_DOCUMENT, 0 as DocId, 0];
  for (const docId of docIds) {
    if (docId === NO_DOCUMENT) continue;
    if (docId < firstDoc) firstDoc = docId;
    if (docId > lastDoc) lastDoc = docId;
    docCount += 1;
  }
  return { firstDoc, lastDoc, docCount };
}
