/** What searches do, counted: calls of the kernel with their time, bitmaps as long as the index, documents divided, rows read. */

/** Parts of a kernel whose calls are counted. */
const PARTS = [
  'bitmaps',
  'windows',
  'pools',
  'lists',
  'wordLists',
  'rankIndexedLists',
  'tables',
  'dictionaries',
  'columns',
  'memory',
];
/** Calls that give a bitmap as long as the index. */
const MADE = new Set(['pools.empty', 'pools.copy', 'pools.intersection']);

/**
 * Wraps the calls of a view's kernel and of its rows; returns a function that takes what was counted since its last call: milliseconds and calls by name, and sums. The calls
 * take longer while they are counted.
 */
export function countWork(view) {
  const { kernel } = view;
  let counted = newCounts();
  for (const part of PARTS) {
    const target = kernel[part];
    for (const name of Object.getOwnPropertyNames(Object.getPrototypeOf(target))) {
      const own = target[name];
      if (name === 'constructor' || typeof own !== 'function') continue;
      const call = `${part}.${name}`;
      target[name] = (...args) => {
        const startedMs = performance.now();
        const result = own.apply(target, args);
        counted.calls[call] ??= { ms: 0, count: 0 };
        const timed = counted.calls[call];
        timed.ms += performance.now() - startedMs;
        timed.count += 1;
        if (MADE.has(call) && result !== 0) counted.bitmaps += 1;
        if (call === 'bitmaps.subtract') counted.divided += result;
        return result;
      };
    }
  }
  const rows = Object.values(view.segments[0] ?? {}).find((member) => typeof member?.read === 'function');
  for (const name of rows === undefined ? [] : ['get', 'read']) {
    const own = rows[name];
    const count = (bytes) => {
      counted.rows += 1;
      counted.rowBytes += bytes.length;
      return bytes;
    };
    rows[name] = (table, key, use) => {
      const value = own.call(rows, table, key, use && ((bytes) => use(count(bytes))));
      return use || value === undefined ? value : count(value);
    };
  }
  return () => {
    const taken = counted;
    counted = newCounts();
    return taken;
  };
}

const newCounts = () => ({ calls: {}, bitmaps: 0, divided: 0, rows: 0, rowBytes: 0 });

/** A row of means of the counts of several searches. */
export function meanWork(counts) {
  const mean = (of) => Math.round((10 * counts.reduce((sum, each) => sum + of(each), 0)) / counts.length) / 10;
  const callsMs = {};
  for (const { calls } of counts)
    for (const [name, { ms }] of Object.entries(calls)) callsMs[name] = (callsMs[name] ?? 0) + ms / counts.length;
  const most = Object.entries(callsMs).sort(([, left], [, right]) => right - left);
  return {
    rows: mean(({ rows }) => rows),
    'row KiB': mean(({ rowBytes }) => rowBytes / 1024),
    bitmaps: mean(({ bitmaps }) => bitmaps),
    divided: mean(({ divided }) => divided),
    'kernel ms': Object.values(callsMs).reduce((sum, ms) => sum + ms, 0),
    most: most
      .slice(0, 3)
      .map(([name, ms]) => `${name} ${ms.toFixed(2)}`)
      .join(', '),
  };
}
