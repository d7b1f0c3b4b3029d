import type { SearchJob } from '../jobs/search-jobs.js';

/** Members of a job that are looked at; what follows changes its shape no more. */
const MEMBERS_MAX = 400;
/** Items of a list that are looked at. */
const ITEMS_MAX = 8;
/** Words of a query that are counted. */
const WORDS_MAX = 8;

/** Powers of two. */
const sizeClass = (size: number): number => 32 - Math.clz32(Math.min(Math.abs(size), 2 ** 31));

/**
 * What a job has in common with others that take about as long: its kind, its indexes and which members it has, with the size of their values instead of the
 * values. O(MEMBERS_MAX)
 */
export function shapeOf(job: SearchJob): string {
  let left = MEMBERS_MAX;
  return shape(job.kind, job);

  function shape(name: string, value: unknown): string {
    left -= 1;
    if (value === null || value === undefined || left < 0) return '';
    if (typeof value === 'string') {
      if (name === 'indexUid' || name === 'kind') return JSON.stringify(value);
      const words = name === 'q' ? `w${Math.min(WORDS_MAX, value.split(' ', WORDS_MAX).length)}` : '';
      return `${words}s${sizeClass(value.length)}`;
    }
    // numbers of a list say nothing
    if (typeof value === 'number') return name === '' ? 'n' : `n${sizeClass(value)}`;
    if (typeof value !== 'object') return String(value).slice(0, 1);
    if (ArrayBuffer.isView(value)) return `b${sizeClass(value.byteLength)}`;
    if (value instanceof Map || value instanceof Set) return shape(name, [...value]);
    if (Array.isArray(value))
      return `[${sizeClass(value.length)}:${value.slice(0, ITEMS_MAX).map((item) => shape('', item))}]`;
    const members = Object.entries(value).map(([key, member]) => [key, shape(key, member)] as const);
    return `{${members.map(([key, text]) => (text === '' ? '' : `${key}:${text},`)).join('')}}`;
  }
}
