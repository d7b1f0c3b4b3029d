import { ApiError } from '@fossick/base';
import type { JsonObject } from './parse-document.js';

/** Field ids are u16 and 65,535 names are allowed (spec 01 section 8). */
const FIELD_COUNT_MAX = 65_535;

/** The flattened field names of one index, in the order in which they were first met. A field's id is its place. */
export class FieldNames {
  private readonly ids = new Map<string, number>();

  constructor(private readonly names: string[]) {
    names.forEach((name, id) => this.ids.set(name, id));
  }

  get list(): readonly string[] {
    return this.names;
  }

  get count(): number {
    return this.names.length;
  }

  name(id: number): string {
    const name = this.names[id];
    if (name === undefined) throw new Error(`field id ${id} is not known`);
    return name;
  }

  idOf(name: string): number | undefined {
    return this.ids.get(name);
  }

  /** The id of a name, which is added when it is new. Throws ApiError max_fields_limit_exceeded. */
  add(name: string): number {
    const known = this.ids.get(name);
    if (known !== undefined) return known;
    const id = this.names.length;
    if (id >= FIELD_COUNT_MAX) {
      throw new ApiError(
        'max_fields_limit_exceeded',
        `An index holds at most ${FIELD_COUNT_MAX} distinct field names.`,
      );
    }
    this.names.push(name);
    this.ids.set(name, id);
    return id;
  }

  /** Adds every flattened name of a document, containers included. */
  addDocument(document: JsonObject): void {
    for (const key in document) {
      this.add(key);
      const value = document[key];
      if (typeof value === 'object' && value !== null) this.addNested(value, key);
    }
  }

  /** Forgets the names with ids >= count: those of an operation that failed. */
  truncate(count: number): void {
    while (this.names.length > count) this.ids.delete(this.names.pop()!);
  }

  private addNested(value: object, base: string): void {
    if (Array.isArray(value)) {
      for (const item of value) if (typeof item === 'object' && item !== null) this.addNested(item, base);
      return;
    }
    for (const [key, child] of Object.entries(value)) {
      const name = `${base}.${key}`;
      this.add(name);
      if (typeof child === 'object' && child !== null) this.addNested(child, name);
    }
  }
}
