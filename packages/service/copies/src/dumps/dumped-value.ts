/** A stored value of the instance that an extension keeps, and that has a file of its own in dumps. */
export interface DumpedValue {
  /** Of the stored value. No two of a server have the same. */
  readonly name: string;
  /**
   * Its JSON file at the root of a dump, a file of the format or one that others ignore. With a slash at its end: a folder with a
   * file `NAME.json` for each member of the contents, an object.
   */
  readonly file: string;
  /** The contents of the file; `value`: undefined when it was never stored. */
  toFile(value: unknown): unknown;
  /** The value. What it throws ends the import. */
  ofFile(content: unknown): unknown;
}

/** What the module of an extension's part in dumps exports (`dumps` of extension.ts). */
export interface DumpModule {
  readonly DUMPED: readonly DumpedValue[];
}

/** `urls`: of such modules. */
export async function loadDumpedValues(urls: readonly string[] = []): Promise<DumpedValue[]> {
  const modules = await Promise.all(urls.map(async (url) => (await import(url)) as DumpModule));
  return modules.flatMap(({ DUMPED }) => DUMPED);
}
