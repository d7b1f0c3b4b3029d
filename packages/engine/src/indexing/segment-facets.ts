import { collectFacetValues, FacetColumnBuilder, isFacetedField, type FacetKind } from '../facets/index.js';
import type { JsonObject } from '../documents/parse-document.js';
import type { IndexSettings } from '../settings/settings.js';

/** The facet columns of a segment while it is built, one for each faceted field that was met. */
export class SegmentFacets {
  private readonly builders = new Map<string, FacetColumnBuilder>();
  private readonly faceted = new Map<string, boolean>();
  private readonly hasFacets: boolean;
  private docId = 0;

  constructor(private readonly settings: IndexSettings) {
    this.hasFacets =
      settings.filterableAttributes.length > 0 ||
      settings.sortableAttributes.length > 0 ||
      settings.distinctAttribute !== null ||
      settings.rankingRules.some((rule) => rule.includes(':'));
  }

  /** Rough bytes. */
  get heldBytes(): number {
    let byteCount = 0;
    for (const builder of this.builders.values()) byteCount += builder.heldBytes;
    return byteCount;
  }

  addDocument(docId: number, document: JsonObject): void {
    if (!this.hasFacets) return;
    this.docId = docId;
    collectFacetValues(document, this.isFaceted, this.visit);
  }

  /** Field name and column bytes. */
  *columns(): Iterable<readonly [field: string, column: Uint8Array]> {
    for (const [field, builder] of this.builders) yield [field, builder.build()];
  }

  private readonly isFaceted = (field: string): boolean => {
    let answer = this.faceted.get(field);
    if (answer === undefined) this.faceted.set(field, (answer = isFacetedField(this.settings, field)));
    return answer;
  };

  private readonly visit = (field: string, kind: FacetKind, value?: number | string): void => {
    let builder = this.builders.get(field);
    if (builder === undefined) this.builders.set(field, (builder = new FacetColumnBuilder()));
    builder.addValue(this.docId, kind, value);
  };
}
