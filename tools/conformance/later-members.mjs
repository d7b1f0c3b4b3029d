/**
 * The recorded sessions are of version 1.50 of the reference engine. Later versions added members to some answers: they
 * are added to the recorded answers, so that the replayer requires them as well.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

/**
 * Writes the sessions of a folder, with the members of later versions, to another one: all, or those that `isChosen`
 * by their number. Returns the number of answers that got some.
 */
export function addLaterMembers(from, to, isChosen = () => true) {
  mkdirSync(to, { recursive: true });
  let [count, number] = [0, 0];
  for (const file of readdirSync(from)) {
    const bytes = readFileSync(join(from, file));
    const sessions = JSON.parse((file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8'));
    const chosen = sessions.filter(() => isChosen(number++));
    if (chosen.length === 0) continue;
    const levelled = visited(chosen, () => {
      count += 1;
    });
    writeFileSync(join(to, file.replace(/\.gz$/, '')), JSON.stringify(levelled));
  }
  return count;
}

function visited(value, onAdded) {
  if (Array.isArray(value)) return value.map((item) => visited(item, onAdded));
  if (typeof value !== 'object' || value === null) return value;
  const object = Object.fromEntries(Object.entries(value).map(([name, member]) => [name, visited(member, onAdded)]));
  const later = laterMembersOf(object);
  if (later === undefined) return object;
  onAdded();
  return { ...object, ...later };
}

function laterMembersOf(object) {
  // since 1.53; a number of bytes, or a text such as `16 KiB`
  if (isIndexStats(object)) return { indexSize: { $any: 'any' }, usedIndexSize: { $any: 'any' } };
  // since 1.52, and 1.54
  if (isFeatures(object)) return { tasksStreamingRoute: false, mcpRoute: true };
  return undefined;
}

/** All experimental features, as `/experimental-features` answers them; no request names all. */
function isFeatures(object) {
  return 'logsRoute' in object && 'containsFilter' in object && 'disableDocumentsFetchQueue' in object;
}

/** Statistics of an index, as `/stats` and `/indexes/{uid}/stats` answer them. */
function isIndexStats(object) {
  return 'rawDocumentDbSize' in object && 'fieldDistribution' in object;
}
