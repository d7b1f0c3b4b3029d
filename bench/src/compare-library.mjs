/** One library of `compare-engines` in a process of its own, whose memory is then its. Prints one line of JSON. */
import { readFileSync } from 'node:fs';
import { chooseQueries, filmsOf, scoreOf, timed } from './compare-queries.mjs';
import { ENGINES } from './peers/engines.mjs';

const work = JSON.parse(process.argv[2]);
const engine = await ENGINES[work.name]();
let films = filmsOf(work);
const indexMs = await timed(() => engine.add(films));
const kinds = chooseQueries(films, work);
films = undefined;
const figures = await scoreOf((q) => engine.search(q), kinds);
globalThis.gc();
const status = readFileSync('/proc/self/status', 'utf8');
const read = (name) => Math.round(Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)[1]) / 1024);
console.log(JSON.stringify({ indexMs, ...figures, residentMiB: read('VmRSS'), ownMiB: read('RssAnon') }));
