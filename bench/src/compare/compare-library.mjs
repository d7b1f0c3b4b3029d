/**
 * One library of `compare-engines` in a process of its own, so that its memory can be measured. Sends each finished
 * step to its parent, which ends the process when a step takes too long.
 */
import { readFileSync } from 'node:fs';
import { ENGINES } from '../peers/engines.mjs';
import { chooseQueries, filmsOf, scoreOf, timed } from './compare-queries.mjs';

const work = JSON.parse(process.argv[2]);
const engine = await ENGINES[work.name]();
let films = filmsOf(work);
const documents = films.length;
process.send({ step: 'reading', documents });
const indexMs = await timed(() => engine.add(films));
process.send({ step: 'indexing', documents, ms: indexMs });
const kinds = chooseQueries(films, work);
films = undefined;
const scored = await scoreOf((q) => engine.search(q), kinds, {
  limitMs: work.searchLimitMs,
  onStep: (step) => process.send(step),
});
globalThis.gc();
const status = readFileSync('/proc/self/status', 'utf8');
const read = (name) => Math.round(Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)[1]) / 1024);
process.send({
  step: 'end',
  figures: { documents, indexMs, ...scored, residentMiB: read('VmRSS'), ownMiB: read('RssAnon') },
});
process.disconnect();
