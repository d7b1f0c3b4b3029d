// Checks a store as a start of the server does, then reads all of it, writes and deletes, and prints the result as one
// line of JSON. Arguments: the built package, the folder, the names of its tables.
import { createHash } from 'node:crypto';

const [, , packageFile, folder, names] = process.argv;
const { checkStore, openLmdbStore } = await import(packageFile);

function digestOf(store) {
  const hash = createHash('sha256');
  for (const name of names.split(','))
    for (const { key, value } of store.table(name).range({})) hash.update(name).update(key).update(value);
  return hash.digest('hex');
}

function tell(what) {
  process.stdout.write(`${JSON.stringify(what)}\n`);
}

try {
  checkStore(folder, { untilMs: Number.POSITIVE_INFINITY });
  const store = openLmdbStore({ folder });
  const before = digestOf(store);
  for (let round = 0; round < 6; round++)
    store.transaction((txn) => {
      for (let i = 0; i < 60; i++) txn.put('small', Buffer.from([255, round, i]), Buffer.alloc(100 + i * 90, i));
    });
  store.transaction((txn) => {
    for (let round = 0; round < 6; round++)
      for (let i = 0; i < 60; i++) txn.delete('small', Buffer.from([255, round, i]));
  });
  const after = digestOf(store);
  await store.close();
  tell({ before, after });
} catch (error) {
  tell({ code: error.code, message: error.message });
}
