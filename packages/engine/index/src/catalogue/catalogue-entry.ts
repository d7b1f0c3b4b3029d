/** A row of the instance's store: index uid -> the folder of its store, and its creation and change. */
export interface CatalogueEntry {
  /** Name of the folder below `indexes`. It stays when the index is renamed or swapped. */
  readonly folder: string;
  readonly primaryKey: string | null;
  readonly createdAt: string;
  /** When the row was written; the index's own summary has the date of its contents. */
  readonly updatedAt: string;
}
