#!/usr/bin/env node
/**
 * Makes the outline of the world of the dashboard's map, from the land of Natural Earth (public domain) in the packages `world-atlas` 2 and `topojson-client` 3,
 * which a folder has for it (`npm install world-atlas topojson-client`):
 *
 *   node tools/data/make-world-outline.mjs FOLDER
 *
 * One unit is one degree, so that a place needs no projection; tenths of a degree are kept.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';

const [folder] = process.argv.slice(2);
if (folder === undefined) {
  console.error('usage: node tools/data/make-world-outline.mjs FOLDER');
  process.exit(2);
}
const load = createRequire(join(resolve(folder), 'package.json'));
const { feature } = load('topojson-client');
const world = JSON.parse(readFileSync(load.resolve('world-atlas/land-110m.json'), 'utf8'));
const rings = feature(world, world.objects.land).features.flatMap(({ geometry: { type, coordinates } }) =>
  (type === 'Polygon' ? [coordinates] : coordinates).flat(),
);
const target = new URL('../../apps/dashboard/src/views/search/world.svg', import.meta.url);
const path = `<path fill="#8fa39a" fill-rule="evenodd" d="${rings.map(pathOf).join('')}"/>`;
writeFileSync(target, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="-180 -90 360 180">${path}</svg>\n`);

/** Steps from each corner to the next one. */
function pathOf(ring) {
  let [x, y] = [0, 0];
  const steps = ring.map(([east, north], at) => {
    const [nextX, nextY] = [tenths(east), tenths(-north)];
    const step = `${at === 0 ? 'M' : 'l'}${written(nextX - x)} ${written(nextY - y)}`;
    [x, y] = [nextX, nextY];
    return step;
  });
  return `${steps.join('')}z`;
}
function tenths(degrees) {
  return Math.round(degrees * 10) / 10;
}
function written(degrees) {
  return String(tenths(degrees)).replace(/^(-?)0\./, '$1.');
}
