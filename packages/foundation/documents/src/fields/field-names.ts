import { apiError, type FieldId, isIndexName, MAX_FIELD_COUNT, MAX_JSON_DEPTH, memberNames } from '@fossick/base';
import type { JsonObject } from '../json/json-object.js';
import { LosslessFloat } from '../json/lossless-number.js';

/** The flattened field names of one index, in order of first occurrence. A field's id is its index. */
export class FieldNames {
  private readonly names: string[];
  private readonly ids = new Map<string, FieldId>();

  constructor(names: string[]) {
    this.names = names;
    for (const [id, name] of names.entries()) this.ids.set(name, id as FieldId);
  }

  get list(): readonly string[] {
    return this.names;
  }

  get count(): number {
    return this.names.length;
  }

  name(id: FieldId): string {
    const name = this.names[id];
    if (name === undefined) throw new Error(`field id ${id} is not known`);
    return name;
  }

  idOf(name: string): FieldId | undefined {
    return this.ids.get(name);
  }

  /** The id of a name, which is added when it is missing. Throws ApiError max_fields_limit_exceeded. */
  add(name: string): FieldId {
    const known = this.ids.get(name);
    if (known !== undefined) return known;
    const id = this.names.length as FieldId;
    if (id >= MAX_FIELD_COUNT) {
      throw apiError('max_fields_limit_exceeded', MAX_FIELD_COUNT);
    }
    this.names.push(name);
    this.ids.set(name, id);
    return id;
  }

  /**
   * Adds every flattened name of a document, those of containers included. Throws ApiError max_fields_limit_exceeded, and
   * malformed_payload for a document nested too deeply: HTTP payloads were checked before, but documents also come from edit functions and
   * copies. Then none of them is added: the document may be left out.
   */
  addDocument(document: JsonObject): void {
    const countBefore = this.count;
    try {
      for (const key of memberNames(document)) {
        this.add(key);
        const value = document[key];
        if (typeof value === 'object' && value !== null) this.addNested(value, key, 2);
      }
    } catch (error) {
      this.truncate(countBefore);
      throw error;
    }
  }

  /** Removes the names with ids >= count, which a failed operation added. */
  truncate(count: number): void {
    if (this.names.length > count) forgetLook(this.names);
    while (this.names.length > count) this.ids.delete(this.names.pop()!);
  }

  /** @param level nesting level of the value itself; the document's is 1 */
  private addNested(value: object, base: string, level: number): void {
    if (value instanceof LosslessFloat) return;
    if (level > MAX_JSON_DEPTH) throw apiError('malformed_payload', 'documentTooDeep', MAX_JSON_DEPTH);
    if (Array.isArray(value)) {
      for (const item of value) if (typeof item === 'object' && item !== null) this.addNested(item, base, level + 1);
      return;
    }
    for (const key of memberNames(value)) {
      const child = (value as JsonObject)[key];
      const name = `${base}.${key}`;
      this.add(name);
      if (typeof child === 'object' && child !== null) this.addNested(child, name, level + 1);
    }
  }
}

/** By list of names: how many were looked at, and the place of the first that was found. */
const looks = new WeakMap<readonly string[], { count: number; first: number }>();

/**
 * Whether a name of the list or a step of one looks like an index of a list: objects do not keep the order of such members. The list may
 * grow; `forgetLook` must be called where names are removed. O(new names)
 */
export function haveIndexSteps(names: readonly string[]): boolean {
  let look = looks.get(names);
  if (look === undefined) {
    look = { count: 0, first: Number.POSITIVE_INFINITY };
    looks.set(names, look);
  }
  for (; look.count < names.length && look.first > look.count; look.count++)
    if (hasIndexStep(names[look.count]!)) look.first = look.count;
  return look.first < names.length;
}

/** To be called when names of the list were removed. */
function forgetLook(names: readonly string[]): void {
  looks.delete(names);
}

const hasIndexStep = (name: string): boolean => /\d/.test(name) && name.split('.').some(isIndexName);
