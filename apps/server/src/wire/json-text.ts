import { randomUUID } from 'node:crypto';

/** Stands around a big integer's digits while they travel as a string; unguessable, so no document can hold it. */
const MARK = randomUUID();
const MARKED = new RegExp(`"${MARK}(-?\\d+)"`, 'g');

/** JSON text of a value; integers beyond 2^53 (bigint in memory) come out with all their digits. */
export function toJsonText(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch (error) {
    // only a bigint makes JSON.stringify throw here, and such numbers are rare: the replacer costs nothing until then
    if (!(error instanceof TypeError)) throw error;
    const marked = JSON.stringify(value, (_name, member: unknown) =>
      typeof member === 'bigint' ? `${MARK}${member}` : member,
    );
    return marked.replace(MARKED, '$1');
  }
}
