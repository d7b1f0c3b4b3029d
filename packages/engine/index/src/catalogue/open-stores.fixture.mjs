// A thread that uses more stores than it may have open, concurrently with others. Sends its counts.
import { parentPort, workerData } from 'node:worker_threads';
import { OpenStores } from '../../dist/catalogue/open-stores.js';

const { place, seed, steps, max, storeCount } = workerData;
const COUNTER = Uint8Array.of(1);
const ROWS = 40;
/** Small enough that files outgrow their maps while other threads read them. */
const MAP_BYTES = 1 << 20;

/** A generator of 31 bits: xorshift. */
let state = seed | 1;
function random(below) {
  state ^= state << 13;
  state ^= state >>> 17;
  state ^= state << 5;
  return (state >>> 1) % below;
}
const closed = new Set();
const stores = new OpenStores({
  pathOf: (folder) => `${place}/${folder}`,
  isInUse: () => false,
  onClose: (folder) => closed.add(folder),
  max,
  mapBytes: MAP_BYTES,
});
const added = Array(storeCount).fill(0);
/** Ranges in progress: their stores are not closed meanwhile. */
const paused = [];

function add(at) {
  stores.get(`s${at}`).transaction((txn) => {
    const before = txn.get('count', COUNTER);
    const count = (before === undefined ? 0 : Buffer.from(before).readUInt32BE()) + 1;
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(count);
    txn.put('count', COUNTER, bytes);
    // every commit writes one value to all rows: a reader that sees two values saw two commits
    const value = Buffer.concat([bytes, Buffer.alloc(200 + (count % 7) * 9_000)]);
    for (let row = 0; row < ROWS; row++) txn.put('rows', Uint8Array.of(1, row), value);
  });
  added[at]++;
}
function check(rows) {
  const seen = new Set(rows.map(({ value }) => Buffer.from(value).readUInt32BE()));
  if (seen.size > 1) throw new Error(`one range saw ${[...seen].join(' and ')}`);
}
function read(at) {
  check([...stores.get(`s${at}`).table('rows').range({})]);
}
function begin(at) {
  const range = stores.get(`s${at}`).table('rows').range({})[Symbol.iterator]();
  const first = range.next();
  if (first.done !== true) paused.push({ range, first: first.value });
}
function end() {
  const next = paused.shift();
  if (next === undefined) return;
  const rows = [next.first];
  for (let row = next.range.next(); row.done !== true; row = next.range.next()) rows.push(row.value);
  check(rows);
}

for (let step = 0; step < steps; step++) {
  const [kind, at] = [random(8), random(storeCount)];
  if (kind < 2) add(at);
  else if (kind < 6) read(at);
  else if (kind === 6 && paused.length < 2) begin(at);
  else end();
  // as in a server, the event loop turns now and then, so that transactions are released and renewed
  if (random(4) === 0) await new Promise((resolve) => setImmediate(resolve));
}
while (paused.length > 0) end();
await stores.closeAll();
parentPort.postMessage({ added, closedCount: closed.size });
