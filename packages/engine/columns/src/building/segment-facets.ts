import type { LocalOrdinal } from '@fossick/base';
import type { ExactNumber, JsonObject } from '@fossick/documents';
import type { IndexSettings } from '@fossick/settings';
import { isFacetedField, isSubstringField } from '@fossick/settings/indexing';
import { collectFacetValues } from './collect-values.js';
import { FacetColumnBuilder, type FacetKind } from './column-builder.js';

/** The facet columns of a segment while it is built, one for each faceted field that occurred. */
export class SegmentFacets {
  private readonly settings: IndexSettings;
  private readonly builders = new Map<string, FacetColumnBuilder>();
  private readonly faceted = new Map<string, boolean>();
  private readonly hasFacets: boolean;
  private ordinal = 0 as LocalOrdinal;

  constructor(settings: IndexSettings) {
    this.settings = settings;
    this.hasFacets =
      settings.filterableAttributes.length > 0 ||
      settings.sortableAttributes.length > 0 ||
      settings.distinctAttribute !== null ||
      settings.expiryAttribute !== null ||
      settings.rankingRules.some((rule) => typeof rule !== 'string' || rule.includes(':'));
  }

  /** Rough bytes. */
  get heldBytes(): number {
    let byteCount = 0;
    for (const builder of this.builders.values()) byteCount += builder.heldBytes;
    return byteCount;
  }

  /** Whether the values of the field get a trigram table. */
  hasTrigrams(field: string): boolean {
    return isSubstringField(field, this.settings);
  }

  /** @param ordinal the number of the document within the segment */
  addDocument(ordinal: LocalOrdinal, document: JsonObject): void {
    if (!this.hasFacets) return;
    this.ordinal = ordinal;
    collectFacetValues(document, this.isFaceted, this.visit);
  }

  /**
   * Field name and column bytes of each field that has documents. `docIds`: by ordinal, NO_DOCUMENT for removed ones.
   */
  *columns(docIds: Uint32Array): Iterable<readonly [field: string, column: Uint8Array]> {
    for (const [field, builder] of this.builders) if (!builder.isEmpty(docIds)) yield [field, builder.build(docIds)];
  }

  private readonly isFaceted = (field: string): boolean => {
    let answer = this.faceted.get(field);
    if (answer === undefined) {
      answer = isFacetedField(this.settings, field);
      this.faceted.set(field, answer);
    }
    return answer;
  };

  private readonly visit = (field: string, kind: FacetKind, value?: ExactNumber | string): void => {
    let builder = this.builders.get(field);
    if (builder === undefined) {
      builder = new FacetColumnBuilder();
      this.builders.set(field, builder);
    }
    builder.addValue(this.ordinal, kind, value);
  };
}
