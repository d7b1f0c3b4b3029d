#!/usr/bin/env node
/**
 * Takes the screenshots of the dashboard in docs/guides/dashboard.md: `npm run pictures [-- --only chat] [-- --whole FOLDER]`, and
 * holds each of them against the rules of WCAG: a barrier ends it with an error, when all are taken.
 * Each view in light and dark, on a desktop and on a phone, together in one WebP (the one of the README alone); `--whole`
 * also writes the PNGs, and those of what is not in the guide: dialogs, the sign-in, answers without hits.
 * Everything must be built, and a chromium installed. Takes about a minute.
 */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { callApi, waitForTask } from '../run/http-api.mjs';
import { findFreePort, spawnServer, stopServer, waitForHealth } from '../run/server-process.mjs';
import { rootFolder } from '../run/workspace.mjs';
import { startModel } from './model.mjs';
import { SEARCHED, VIEWS } from './views.mjs';

const MASTER_KEY = 'a master key of the pictures';
const SCREENS = [
  { name: 'desktop', viewport: { width: 1280, height: 844 } },
  { name: 'phone', viewport: { width: 390, height: 844 } },
];
const SCHEMES = ['light', 'dark'];
/** Scale of the pictures in the docs: letters stay readable, a file stays below 100 kB. */
const SCALE = 0.6;
const QUALITY = 0.7;
const WCAG = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa'];
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const BROWSERS = [process.env.CHROMIUM_PATH, '/usr/bin/chromium', '/usr/bin/google-chrome'];

await takeAll(optionOf('--only'), optionOf('--whole'));

async function takeAll(only, wholeFolder) {
  const executablePath = BROWSERS.find((path) => path !== undefined && existsSync(path));
  if (executablePath === undefined) throw new Error('there is no chromium: CHROMIUM_PATH names one');
  const folder = mkdtempSync(join(tmpdir(), 'fossick-pictures-'));
  const model = await startModel();
  const address = `127.0.0.1:${await findFreePort()}`;
  const options = [
    '--search-analytics',
    '--no-analytics',
    '--log-level',
    'ERROR',
    '--experimental-allowed-ip-networks',
    '127.0.0.0/8',
  ];
  const server = spawnServer(
    [
      ...['--http-addr', address, '--db-path', join(folder, 'films'), '--master-key', MASTER_KEY, ...options],
      ...['--dump-dir', join(folder, 'dumps'), '--snapshot-dir', join(folder, 'snapshots')],
    ],
    'ignore',
  );
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
  try {
    await waitForHealth(`http://${address}`, server);
    await fill(`http://${address}`, model.baseUrl);
    const barriers = [];
    for (const view of VIEWS.filter(({ name, isExtra }) => (only ?? name) === name && (!isExtra || wholeFolder))) {
      const shots = [];
      for (const scheme of view.isSingle ? SCHEMES.slice(0, 1) : SCHEMES)
        for (const screen of view.isSingle ? SCREENS.slice(0, 1) : SCREENS)
          shots.push(await take(browser, `http://${address}`, view, scheme, screen));
      if (wholeFolder !== undefined) keepWhole(wholeFolder, view.name, shots);
      barriers.push(...shots.flatMap(({ title, found }) => found.map((each) => `${title}: ${each}`)));
      if (view.isExtra) continue;
      const file = join(rootFolder, 'docs', 'images', `dashboard-${view.name}.webp`);
      const bytes = await joined(browser, shots);
      writeFileSync(file, bytes);
      console.log(`${view.name}: ${Math.round(bytes.length / 1024)} kB`);
    }
    if (barriers.length > 0) throw new Error([...new Set(barriers)].join('\n'));
  } finally {
    await browser.close();
    await stopServer(server);
    model.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Films and a few books, so that views are not empty. */
async function fill(url, baseUrl) {
  const send = (method, path, body, type = 'application/json') =>
    callApi(url, method, path, { body, type, key: MASTER_KEY });
  const write = async (...request) => waitForTask(url, (await send(...request)).taskUid, { key: MASTER_KEY });
  await send('PATCH', '/experimental-features', { chatCompletions: true });
  await send('PATCH', '/chats/films/settings', { source: 'vLlm', baseUrl });
  await write('PATCH', '/indexes/movies/settings', {
    searchableAttributes: ['title', 'overview', 'cast', 'genres'],
    filterableAttributes: ['genres', 'year', 'cast'],
    sortableAttributes: ['year', 'title'],
    synonyms: { detective: ['sleuth', 'investigator'], sleuth: ['detective'], film: ['movie'] },
    stopWords: ['a', 'the', 'of'],
  });
  const films = readFileSync(join(rootFolder, 'data', 'movies-sample.ndjson'), 'utf8');
  await write('POST', '/indexes/movies/documents', films, 'application/x-ndjson');
  const books = 'isbn,title,author,year:number\n1,The Sea,Verne,1870\n2,The Land,Verne,1890\n3,The Sky,Wells,1897\n';
  await write('POST', '/indexes/books/documents?primaryKey=isbn', books, 'text/csv');
  await write('POST', '/dumps');
  await write('POST', '/snapshots');
  await Promise.all(SEARCHED.map((each, at) => searchAndOpen(url, each, at)));
}

/** A search of one user, and a click, for the view of analytics. */
async function searchAndOpen(url, { q, opened }, user) {
  const send = async (path, body) => {
    const headers = {
      authorization: `Bearer ${MASTER_KEY}`,
      'content-type': 'application/json',
      'meili-include-metadata': 'true',
      'x-ms-user-id': `user ${user}`,
      'fossick-user-group': user % 3 === 0 ? 'app' : 'site',
    };
    const answer = await fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    return answer.text();
  };
  const { metadata, hits } = JSON.parse(await send('/indexes/movies/search', { q }));
  if (opened === null || hits[opened] === undefined) return;
  const event = { eventType: 'click', eventName: 'Opened', indexUid: 'movies', queryUid: metadata.queryUid };
  await send('/events', { ...event, position: opened });
}

/** One picture, as PNG. */
async function take(browser, url, { name, place, hasKey = true, prepare }, scheme, { name: screen, viewport }) {
  const context = await browser.newContext({ viewport, colorScheme: scheme, reducedMotion: 'reduce' });
  const page = await context.newPage();
  page.setDefaultTimeout(30_000);
  try {
    if (hasKey) await page.addInitScript((key) => sessionStorage.setItem('fossick.key', key), MASTER_KEY);
    await page.goto(`${url}/#${place}`);
    await prepare?.(page);
    // curves are drawn, and notifications disappear
    await page.waitForTimeout(700);
    const title = `${name}-${scheme}-${screen}`;
    const png = await page.screenshot();
    return { title, viewport, png, found: await barriersOf(page, viewport.width) };
  } finally {
    await context.close();
  }
}

/** What axe finds, and whether the page is wider than its screen. */
async function barriersOf(page, width) {
  // through the debugger, because the page's own policy would refuse the script
  await page.evaluate(AXE);
  // what is behind a dialog is darkened, and has pictures of its own
  const seen = "document.querySelector('[role=dialog]') ?? document";
  const { violations } = await page.evaluate(`axe.run(${seen}, { runOnly: ${JSON.stringify(WCAG)} })`);
  const wide = (await page.evaluate('document.documentElement.scrollWidth')) - width;
  return [
    ...violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id} ${html.slice(0, 200)}`)),
    ...(wide > 0 ? [`${wide} pixels wider than the screen`] : []),
  ];
}

function keepWhole(folder, name, shots) {
  mkdirSync(folder, { recursive: true });
  for (const { title, png } of shots) writeFileSync(join(folder, `${title}.png`), png);
  console.log(`${name}: ${shots.length} pictures in ${folder}`);
}

/** Light above dark, the phone next to the desktop, in one WebP, which a browser can encode. */
async function joined(browser, shots) {
  const page = await browser.newPage();
  try {
    const pictures = shots.map(({ png, viewport }) => ({
      url: `data:image/png;base64,${png.toString('base64')}`,
      viewport,
    }));
    const base64 = await page.evaluate(draw, { pictures, scale: SCALE, quality: QUALITY });
    return Buffer.from(base64, 'base64');
  } finally {
    await page.close();
  }
}

/** Runs in the browser. */
async function draw({ pictures, scale, quality }) {
  const gap = 8;
  const images = await Promise.all(
    pictures.map(async ({ url, viewport }) => {
      const image = new Image();
      image.src = url;
      await image.decode();
      return { image, width: Math.round(viewport.width * scale), height: Math.round(viewport.height * scale) };
    }),
  );
  const canvas = document.createElement('canvas');
  canvas.width = images[0].width + (images.length > 1 ? images[1].width + gap : 0);
  canvas.height = images[0].height + (images.length > 2 ? images[2].height + gap : 0);
  const pen = canvas.getContext('2d');
  pen.imageSmoothingQuality = 'high';
  images.forEach(({ image, width, height }, at) => {
    pen.drawImage(image, at % 2 === 0 ? 0 : images[0].width + gap, at < 2 ? 0 : images[0].height + gap, width, height);
  });
  return canvas.toDataURL('image/webp', quality).split(',')[1];
}

function optionOf(name) {
  const at = process.argv.indexOf(name);
  return at < 0 ? undefined : process.argv[at + 1];
}
