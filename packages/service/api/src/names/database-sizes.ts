import { own } from '@fossick/base';

/** The API's names of an index's tables; others keep their own name. */
const SHOWN_NAMES: Readonly<Record<string, string>> = { meta: 'main', ids: 'externalDocumentsIds' };

/** Sizes of an index's tables by their shown names, largest first. Bytes of live pages. */
export function databaseSizes(sizes: Readonly<Record<string, number>>): Readonly<Record<string, number>> {
  const shown = Object.entries(sizes).map(([name, bytes]) => [own(SHOWN_NAMES, name) ?? name, bytes] as const);
  return Object.fromEntries(shown.sort(([a, left], [b, right]) => right - left || (a < b ? -1 : 1)));
}
