#!/usr/bin/env node
/**
 * `npm run bench:embedding`: documents through a `rest` embedder whose provider takes its time, and how near that comes to what the provider and the limits
 * allow: this many requests at once, of this many texts each.
 *
 *   npm run bench:embedding -- [--documents 10000] [--answer-ms 50] [--dimensions 128] [--json OUT.json] [--smoke]
 *
 * The provider runs in this process. `bound`: documents a second if it always had all the requests at once that it may have.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { callApi, waitForTask } from '../../../tools/run/http-api.mjs';
import { readOptions } from '../../../tools/run/options.mjs';
import { findFreePort, spawnServer, stopServer, waitForHealth } from '../../../tools/run/server-process.mjs';
import { printTable, round, writeResult } from '../results.mjs';

const { values } = readOptions({
  options: {
    documents: { type: 'string', default: '10000' },
    'answer-ms': { type: 'string', default: '50' },
    dimensions: { type: 'string', default: '128' },
    json: { type: 'string' },
    smoke: { type: 'boolean', default: false },
  },
});
const [count, dimCount] = values.smoke ? [300, 8] : [Number(values.documents), Number(values.dimensions)];
const answerMs = Number(values['answer-ms']);
const seen = { requests: 0, texts: 0, open: 0, openMax: 0, firstMs: 0, lastMs: 0 };
const provider = createServer(async (incoming, response) => {
  seen.firstMs ||= performance.now();
  seen.openMax = Math.max(seen.openMax, ++seen.open);
  const pieces = [];
  for await (const piece of incoming) pieces.push(piece);
  const { texts } = JSON.parse(Buffer.concat(pieces).toString('utf8'));
  seen.requests += 1;
  seen.texts += texts.length;
  await sleep(answerMs);
  response.end(JSON.stringify({ vectors: texts.map((text) => vectorOf(text)) }));
  seen.open -= 1;
  seen.lastMs = performance.now();
});
await new Promise((ready) => provider.listen(0, '127.0.0.1', ready));

const folder = mkdtempSync(join(tmpdir(), 'fossick-bench-'));
const url = `http://127.0.0.1:${await findFreePort()}`;
const open = ['--no-analytics', '--experimental-allowed-ip-networks', '127.0.0.1/32'];
const server = spawnServer(
  ['--db-path', join(folder, 'data'), '--http-addr', url.slice(7), ...open],
  ['ignore', 'ignore', 'inherit'],
);
try {
  await waitForHealth(url, server);
  const write = async (method, path, options) => waitForTask(url, (await callApi(url, method, path, options)).taskUid);
  const embedder = {
    source: 'rest',
    url: `http://127.0.0.1:${provider.address().port}/embed`,
    request: { texts: ['{{text}}', '{{..}}'] },
    response: { vectors: ['{{embedding}}', '{{..}}'] },
    documentTemplate: '{{ doc.title }}',
    dimensions: dimCount,
  };
  await write('PATCH', '/indexes/bench/settings', { body: { embedders: { default: embedder } } });
  const rows = [await added('new'), await added('the same again')];
  printTable(rows);
  writeResult({ documents: count, dimensions: dimCount, answerMs, rows }, values.json);

  async function added(name) {
    Object.assign(seen, { requests: 0, texts: 0, openMax: 0, firstMs: 0, lastMs: 0 });
    const lines = Array.from({ length: count }, (_, id) => JSON.stringify({ id, title: `Title ${id} of some words` }));
    const startedMs = performance.now();
    const { duration } = await write('POST', '/indexes/bench/documents', {
      body: lines.join('\n'),
      type: 'application/x-ndjson',
    });
    const seconds = (performance.now() - startedMs) / 1000;
    const { requests, texts, openMax } = seen;
    const askingSeconds = (seen.lastMs - seen.firstMs) / 1000;
    const asked =
      requests === 0 ? {} : { askingSeconds: round(askingSeconds), perSecond: round(texts / askingSeconds, 0) };
    const bound = requests === 0 ? undefined : round((openMax * (texts / requests) * 1000) / answerMs, 0);
    return { name, seconds: round(seconds), duration, requests, texts, openMax, ...asked, bound };
  }
} finally {
  await stopServer(server);
  provider.close();
  rmSync(folder, { recursive: true, force: true });
}

/** Numbers that differ from text to text. */
function vectorOf(text) {
  return Array.from({ length: dimCount }, (_, dim) => (text.charCodeAt(dim % text.length) % 17) + dim / dimCount);
}
