#!/usr/bin/env node
/**
 * Compares the answers of `fossick/web`, and of `fossick/web/search` from a static index (`static`, in Chromium), with those
 * of the server, byte for byte, for every case of the recorded suites.
 *
 *   node tools/conformance/web.mjs [--in node,chromium,static,bun,deno,workerd] [--only movies,cities]
 *
 * `node` runs without Node's Buffer and modules. Bun, Deno and workerd are installed by npm into node_modules/.cache. Ends
 * with `N passed, N failed`.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { findFreePort, spawnServer, stopServer, waitForHealth } from '../run/server-process.mjs';
import { ensureBuilt, ensureInstalled, rootFolder } from '../run/workspace.mjs';
import { comparable } from './web-answers.mjs';
import { PLATFORMS } from './web-platforms.mjs';

const COMMAND = join(rootFolder, 'apps/server/bin/fossick.js');
const sharedFolder = join(rootFolder, '..', 'shared');
const args = process.argv.slice(2);
const listOf = (flag, otherwise) => (args.includes(flag) ? args[args.indexOf(flag) + 1].split(',') : otherwise);

if (!existsSync(sharedFolder)) {
  console.log('web conformance: SKIPPED, ../shared (recorded answers) is not next to this checkout');
  console.log('0 passed, 0 failed');
} else {
  await ensureInstalled();
  await ensureBuilt();
  await main();
}

async function main() {
  const work = mkdtempSync(join(tmpdir(), 'fossick-web-conformance-'));
  let [passed, failed] = [0, 0];
  try {
    for (const name of listOf('--only', ['movies', 'cities'])) {
      const suite = JSON.parse(gunzipSync(readFileSync(join(sharedFolder, 'relevancy', `${name}.json.gz`))).toString());
      const documents = suite.documents
        ? suite.documents.map((one) => JSON.stringify(one)).join('\n')
        : gunzipSync(readFileSync(join(sharedFolder, 'data', suite.dataset))).toString();
      const given = {
        suite: { ...suite, documents: undefined, cases: suite.cases.map(({ route, request }) => ({ route, request })) },
        documents,
      };
      const wanted = await serverAnswers(given, join(work, name));
      given.staticFolder = join(work, `${name}-files`);
      const from = ['--db-path', join(work, name, 'data'), '--out', given.staticFolder];
      execFileSync(process.execPath, [COMMAND, 'export-static', suite.index, ...from], { stdio: 'ignore' });
      for (const platform of listOf('--in', ['node', 'chromium', 'static'])) {
        const startedMs = performance.now();
        const found = await PLATFORMS[platform](given, join(work, `${name}-${platform}`)).catch((error) => [
          String(error.message).slice(0, 600),
        ]);
        const wrong = wanted.flatMap((text, at) => (found[at] === text ? [] : [at]));
        passed += wanted.length - wrong.length;
        failed += wrong.length;
        const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
        console.log(
          `${name} in ${platform}: ${wanted.length - wrong.length} of ${wanted.length} answers are the same (${seconds} s)`,
        );
        for (const at of wrong.slice(0, 3))
          console.log(
            `- ${JSON.stringify(suite.cases[at].request).slice(0, 160)}\n  server ${wanted[at].slice(0, 300)}\n  web    ${String(found[at]).slice(0, 300)}`,
          );
      }
    }
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  console.log(`${passed} passed, ${failed} failed`);
  process.exitCode = failed === 0 && passed > 0 ? 0 : 1;
}

/** The server's answers to the same requests, as texts. */
async function serverAnswers({ suite, documents }, folder) {
  mkdirSync(folder, { recursive: true });
  const address = `127.0.0.1:${await findFreePort()}`;
  const url = `http://${address}`;
  const args = ['--db-path', join(folder, 'data'), '--http-addr', address, '--no-analytics'];
  const server = spawnServer(args, ['ignore', 'ignore', 'inherit']);
  const call = (method, path, body, type = 'application/json') =>
    fetch(`${url}${path}`, {
      method,
      headers: { 'content-type': type },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  const done = async (response) => {
    const { taskUid } = await (await response).json();
    for (;;) {
      const { status, error } = await (await fetch(`${url}/tasks/${taskUid}`)).json();
      if (status === 'succeeded') return;
      if (status === 'failed') throw new Error(JSON.stringify(error));
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };
  try {
    await waitForHealth(url, server);
    const path = `/indexes/${suite.index}`;
    await done(call('POST', '/indexes', { uid: suite.index, primaryKey: suite.primaryKey }));
    if (suite.settings) await done(call('PATCH', `${path}/settings`, suite.settings));
    await done(call('POST', `${path}/documents`, documents, 'application/x-ndjson'));
    const answers = [];
    for (const { route = 'search', request } of suite.cases) {
      const response = await call('POST', `${path}/${route}`, request);
      const text = await response.text();
      answers.push(response.ok ? comparable(text) : `${JSON.parse(text).code}: ${JSON.parse(text).message}`);
    }
    return answers;
  } finally {
    await stopServer(server);
  }
}
