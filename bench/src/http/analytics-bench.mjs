#!/usr/bin/env node
/**
 * `npm run bench:analytics`: what search analytics cost. Two servers with the same documents, one of which counts, answer the same
 * searches of several clients in turn, in short rounds, and the processor time of both processes is compared round by round. At the end:
 * the space on disk, what was counted, and what was counted again after a kill.
 *
 *   npm run bench:analytics -- [--searches 1000000] [--clients 8] [--rounds 20] [--documents 5000] [--distinct 20000] [--seed 7] [--size '512 MiB'] [--data FILE.ndjson[.gz]] [--json OUT.json]
 *
 * `--data`: documents with a `title`, instead of the sample of films; more documents and more distinct texts make searches dearer, and the
 * share of counting smaller. Linux only: it reads /proc.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { readOptions } from '../../../tools/run/options.mjs';
import { findFreePort, spawnServer, stopServer, waitForHealth } from '../../../tools/run/server-process.mjs';
import { rootFolder } from '../../../tools/run/workspace.mjs';
import { readMachineFacts } from '../machine.mjs';

const { values } = readOptions({
  options: {
    searches: { type: 'string', default: '1000000' },
    clients: { type: 'string', default: '8' },
    rounds: { type: 'string', default: '20' },
    documents: { type: 'string', default: '2000' },
    distinct: { type: 'string', default: '20000' },
    seed: { type: 'string', default: '7' },
    data: { type: 'string', default: join(rootFolder, 'data', 'movies-sample.ndjson') },
    size: { type: 'string', default: '512 MiB' },
    json: { type: 'string' },
  },
});
const [searchCount, clientCount, roundCount] = [values.searches, values.clients, values.rounds].map(Number);
/** Ticks of the processor clock that /proc counts in, in a second. */
const TICKS = 100;

await main();

async function main() {
  const folder = mkdtempSync(join(tmpdir(), 'fossick-analytics-'));
  const data = readFileSync(values.data);
  const films = (values.data.endsWith('.gz') ? gunzipSync(data) : data).toString('utf8').trimEnd().split('\n');
  const queries = makeQueries(films.map((line) => JSON.parse(line)));
  const servers = [];
  try {
    for (const isCounting of [false, true])
      servers.push(await start(join(folder, String(isCounting)), isCounting, films));
    const pairs = await measure(servers, queries);
    const [, counting] = servers;
    await new Promise((resolve) => setTimeout(resolve, 6_000));
    const report = await ask(counting, 'GET', '/analytics/searches');
    const records = join(counting.folder, 'analytics');
    const recordBytes = readdirSync(records).reduce((sum, name) => sum + statSync(join(records, name)).size, 0);
    const rss = servers.map(({ process }) => rssOf(process.pid));
    counting.process.kill('SIGKILL');
    await new Promise((resolve) => counting.process.once('exit', resolve));
    const again = await start(counting.folder, true, null);
    servers[1] = again;
    const figures = {
      searches: searchCount,
      clients: clientCount,
      ...summaryOf(pairs),
      counted: report.totals.requests,
      droppedRecords: report.dropped.records,
      recordBytes,
      recordBytesPerSearch: recordBytes / report.totals.requests,
      rssMib: { without: rss[0], with: rss[1] },
      countedAfterKill: await settled(again, report.totals.requests),
    };
    const result = { machine: readMachineFacts(), figures };
    console.log(JSON.stringify(result, null, 2));
    if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(result, null, 2)}\n`);
  } finally {
    for (const { process } of servers) await stopServer(process);
    rmSync(folder, { recursive: true, force: true });
  }
}

async function start(folder, isCounting, films) {
  const address = `127.0.0.1:${await findFreePort()}`;
  const counting = isCounting ? ['--search-analytics', '--search-analytics-size', values.size] : [];
  const args = ['--db-path', folder, '--http-addr', address, '--no-analytics', '--log-level', 'ERROR', ...counting];
  const process = spawnServer(args, ['ignore', 'ignore', 'inherit']);
  await waitForHealth(`http://${address}`, process);
  const server = { process, folder, isCounting, port: Number(address.split(':')[1]), agents: newAgents() };
  if (films === null) return server;
  await ask(server, 'POST', '/indexes/films/documents', `[${films.slice(0, Number(values.documents)).join(',')}]`);
  for (;;) {
    const { total } = await ask(server, 'GET', '/tasks?statuses=enqueued,processing&limit=1');
    if (total === 0) return server;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** One connection for each client. */
function newAgents() {
  return Array.from({ length: clientCount }, () => new Agent({ keepAlive: true, maxSockets: 1 }));
}

function ask({ port, agents }, method, path, body, { client = 0, headers = {} } = {}) {
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port, method, path, agent: agents[client] };
    const type =
      body === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    const sent = request({ ...options, headers: { ...type, ...headers } }, (answer) => {
      const pieces = [];
      answer.on('data', (piece) => pieces.push(piece));
      answer.once('end', () => {
        const text = Buffer.concat(pieces).toString();
        if (answer.statusCode >= 300) reject(new Error(`${answer.statusCode} ${text}`));
        else resolve(method === 'GET' ? JSON.parse(text) : undefined);
      });
    });
    sent.once('error', reject);
    sent.end(body);
  });
}

/** Rounds on both servers in turn, the first of each pair alternating. */
async function measure(servers, queries) {
  const pairs = [];
  const perRound = Math.ceil(searchCount / roundCount);
  // both warm up
  for (const server of servers) await run(server, queries, Math.min(perRound, 5_000), -1);
  for (let round = 0; round < roundCount; round++) {
    const order = round % 2 === 0 ? servers : [...servers].reverse();
    const costs = new Map();
    for (const server of order) costs.set(server.isCounting, await run(server, queries, perRound, round));
    pairs.push({ without: costs.get(false), with: costs.get(true) });
    const [without, counted] = [costs.get(false), costs.get(true)].map(({ microseconds }) => microseconds.toFixed(1));
    console.error(`round ${round + 1}: ${without} µs of processor time a search without, ${counted} with`);
  }
  return pairs;
}

async function run(server, queries, count, round) {
  const [cpuBefore, startedMs] = [cpuSeconds(server.process.pid), performance.now()];
  let next = 0;
  await Promise.all(
    Array.from({ length: clientCount }, async (_, client) => {
      while (next < count) {
        const at = next++;
        const q = queries[(at + (round + 1) * count) % queries.length];
        const headers = { 'x-ms-user-id': `user ${at % 1_000}` };
        await ask(server, 'POST', '/indexes/films/search', JSON.stringify({ q, limit: 10 }), { client, headers });
      }
    }),
  );
  const wallMs = performance.now() - startedMs;
  return {
    microseconds: ((cpuSeconds(server.process.pid) - cpuBefore) / count) * 1e6,
    perSecond: count / (wallMs / 1000),
  };
}

/** Texts as people type them: few of them often, many of them once. */
function makeQueries(films) {
  let state = Number(values.seed);
  const random = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  const titles = films.map(({ title }) => String(title));
  const made = Array.from({ length: Number(values.distinct) }, (_, i) => {
    const title = titles[Math.floor(random() * titles.length)];
    return `${title.slice(0, 3 + Math.floor(random() * 12))}${i % 10 === 0 ? ` ${i}` : ''}`;
  });
  return Array.from({ length: 200_000 }, () => made[Math.floor(random() ** 3 * made.length)]);
}

function cpuSeconds(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS;
}

function rssOf(pid) {
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024);
}

function summaryOf(pairs) {
  const median = (list) => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)];
  const ratios = pairs.map((pair) => pair.with.microseconds / pair.without.microseconds);
  return {
    microsecondsWithout: median(pairs.map((pair) => pair.without.microseconds)),
    microsecondsWith: median(pairs.map((pair) => pair.with.microseconds)),
    medianCostPercent: (median(ratios) - 1) * 100,
    quartilesPercent: [0.25, 0.75].map(
      (q) => ([...ratios].sort((a, b) => a - b)[Math.floor(ratios.length * q)] - 1) * 100,
    ),
    perSecond: {
      without: median(pairs.map((pair) => pair.without.perSecond)),
      with: median(pairs.map((pair) => pair.with.perSecond)),
    },
  };
}

async function settled(server, wanted) {
  let counted = 0;
  for (let i = 0; i < 200 && counted < wanted; i++) {
    counted = (await ask(server, 'GET', '/analytics/searches')).totals.requests;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return counted;
}
