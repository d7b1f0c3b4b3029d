import { PatternList } from '@fossick/filter';
import type { IndexSettings } from '@fossick/settings';
import type { SearchQueue } from '../queue/search-queue.js';
import { TimeSlices } from '../queue/time-slices.js';
import {
  describeField,
  type FieldDescription,
  fieldNamesOf,
  hasSwitches,
  type WantedSwitches,
} from './field-description.js';

/** Fields that are looked at between two looks at the clock. */
const AT_A_TIME = 64;

export interface FieldListing {
  /** Patterns of which one matches the field or a parent of it; null: any field. */
  readonly patterns: readonly string[] | null;
  readonly switches: WantedSwitches;
  readonly offset: number;
  readonly limit: number;
}

/**
 * The page of the fields of a view that a listing asks for, and the number of all that it matches. Only fields of the page are
 * described; other requests get their turn in between. O((fields + patterns) log patterns)
 */
export async function listFields(
  { fieldNames, settings }: { readonly fieldNames: readonly string[]; readonly settings: IndexSettings },
  { patterns, switches, offset, limit }: FieldListing,
  searches: SearchQueue,
): Promise<{ readonly results: readonly FieldDescription[]; readonly total: number }> {
  const names = fieldNamesOf(fieldNames, settings);
  const slices = new TimeSlices(searches);
  const list =
    patterns === null
      ? null
      : new PatternList(
          patterns.map((pattern) => [pattern, 0]),
          'fieldOrParent',
        );
  const isWanted = (name: string): boolean => (list?.matches(name) ?? true) && hasSwitches(name, settings, switches);
  const wanted = await inSlices(slices, names, (name) => (isWanted(name) ? [name] : []));
  const page = wanted.slice(offset, offset + limit);
  return { results: await inSlices(slices, page, describer(settings)), total: wanted.length };
}

const describer = (settings: IndexSettings) => (name: string) => [describeField(name, settings)];

async function inSlices<T>(slices: TimeSlices, names: readonly string[], work: (name: string) => T[]): Promise<T[]> {
  const results: T[] = [];
  for (const [at, name] of names.entries()) {
    if (at % AT_A_TIME === 0) await slices.yieldIfDue();
    for (const result of work(name)) results.push(result);
  }
  return results;
}
