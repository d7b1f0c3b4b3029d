// Opens stores with 0, 1, 2... free file descriptors; writes the results as one JSON list.
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { openLmdbStore } from '../../dist/index.js';

const [place, most] = [process.argv[2], Number(process.argv[3])];
// loads modules that are otherwise loaded lazily
await openLmdbStore({ folder: join(place, 'first') }).close();
const outcomes = [];
for (let left = 0; left <= most; left++) {
  const folder = join(place, `left${left}`);
  mkdirSync(folder);
  const held = [];
  try {
    for (;;) held.push(openSync('/dev/null'));
  } catch {
    // no descriptors are left
  }
  for (const descriptor of held.splice(0, left)) closeSync(descriptor);
  let outcome = 'opened';
  try {
    await openLmdbStore({ folder }).close();
  } catch (error) {
    outcome = error.code;
  }
  for (const descriptor of held) closeSync(descriptor);
  const store = openLmdbStore({ folder });
  store.transaction((txn) => txn.put('t', Uint8Array.of(1), Uint8Array.of(left)));
  if (store.table('t').get(Uint8Array.of(1))[0] !== left) outcome = 'lost';
  await store.close();
  outcomes.push(outcome);
}
console.log(JSON.stringify(outcomes));
