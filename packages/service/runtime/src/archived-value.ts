/** A stored value of the instance that an extension keeps, and that has a file of its own in archives of the instance. */
export interface ArchivedValue {
  /** Of the stored value. No two of a server have the same. */
  readonly name: string;
  /**
   * Its JSON file at the root of an archive, a file of the format or one that others ignore. With a slash at its end: a folder with a
   * file `NAME.json` for each member of the contents, an object.
   */
  readonly file: string;
  /** The contents of the file; `value`: undefined when it was never stored. */
  toFile(value: unknown): unknown;
  /** The value. What it throws ends the import. */
  ofFile(content: unknown): unknown;
}

/** What the module of an extension's part in archives exports (`archived` of extension.ts). */
export interface ArchiveModule {
  readonly ARCHIVED: readonly ArchivedValue[];
}

/** `urls`: of such modules. */
export async function loadArchivedValues(urls: readonly string[]): Promise<ArchivedValue[]> {
  const modules = await Promise.all(urls.map(async (url) => (await import(url)) as ArchiveModule));
  return modules.flatMap(({ ARCHIVED }) => ARCHIVED);
}
