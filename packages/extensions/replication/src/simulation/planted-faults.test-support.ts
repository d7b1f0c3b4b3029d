import { type ObjectStore, ObjectStoreError } from '@fossick/objects';
import type { CommitLog } from '../port.js';

/**
 * Faults that the simulation must find. They are planted around the code that is tested, not in it:
 * `no floor read`: an append does not look at the floor afterwards;
 * `plain put`: entries are not created if absent;
 * `trim first`: entries are deleted before the floor is raised;
 * `no epoch`: commits of a leader do not name its epoch;
 * `early answer`: operations are answered before they are appended;
 * `false refusal`: some entries are put, and the store says that they are not.
 */
export type PlantedFault = 'no floor read' | 'plain put' | 'trim first' | 'no epoch' | 'early answer' | 'false refusal';
export const PLANTED_FAULTS: readonly PlantedFault[] = [
  'no floor read',
  'plain put',
  'trim first',
  'no epoch',
  'early answer',
  'false refusal',
];

/** The object store as a faulty node uses it. */
export function withFault(objects: ObjectStore, fault: PlantedFault | undefined): ObjectStore {
  if (fault !== 'no floor read' && fault !== 'plain put' && fault !== 'false refusal') return objects;
  let hasPut = false;
  let putCount = 0;
  return {
    put: async (key, body, options) => {
      const isEntry = key.includes('/entries/');
      hasPut = false;
      const outcome = await objects.put(key, body, isEntry && fault === 'plain put' ? {} : options);
      hasPut = isEntry && outcome === 'put';
      if (hasPut && fault === 'false refusal' && ++putCount % 8 === 0) throw new ObjectStoreError('full', true);
      return outcome;
    },
    get: async (key, range) => {
      const isFirst = hasPut;
      hasPut = false;
      return isFirst && fault === 'no floor read' && key.includes('/floors/') ? null : await objects.get(key, range);
    },
    list: (prefix, after) => objects.list(prefix, after),
    delete: (key) => objects.delete(key),
  };
}

/** How a faulty node trims. */
export async function trimmed(
  { log, objects, entries }: { readonly log: CommitLog; readonly objects: ObjectStore; readonly entries: string },
  before: number,
  fault: PlantedFault | undefined,
): Promise<void> {
  if (fault === 'trim first') {
    for await (const { key } of objects.list(entries)) {
      if (Number(key.slice(entries.length)) < before) await objects.delete(key);
    }
  }
  await log.trim(before);
}
