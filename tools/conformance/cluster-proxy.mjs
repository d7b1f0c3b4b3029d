#!/usr/bin/env node
/**
 * Three nodes of a cluster and a proxy that hands requests to them in turn, for a client that knows one server:
 *
 *   node cluster-proxy.mjs --http-addr 127.0.0.1:PORT --folder FOLDER [further options of all nodes]
 *
 * Log and objects are in a folder. The port listens as soon as every node answers. SIGTERM ends the nodes, then the proxy.
 */
import { Agent, createServer, request as openRequest } from 'node:http';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { findFreePort, spawnServer, stopServer, waitForHealth } from '../run/server-process.mjs';

const NODE_COUNT = 3;
const agent = new Agent({ keepAlive: true });
const { address, folder, rest } = readArguments(process.argv.slice(2));
const nodes = await Promise.all(Array.from({ length: NODE_COUNT }, (_, number) => startNode(number)));
let turn = 0;
const proxy = createServer(handOver);
proxy.listen(Number(address.slice(address.lastIndexOf(':') + 1)), '127.0.0.1');
for (const signal of ['SIGTERM', 'SIGINT']) {
  process.once(signal, async () => {
    await Promise.all(nodes.map(({ child }) => stopServer(child)));
    process.exit(0);
  });
}

function readArguments(given) {
  const rest = [...given];
  const take = (name) => rest.splice(rest.indexOf(name), 2)[1];
  return { address: take('--http-addr'), folder: take('--folder'), rest };
}

async function startNode(number) {
  const [port, linkPort] = [await findFreePort(), await findFreePort()];
  const options = [
    ...['--db-path', join(folder, `node-${number}`), '--http-addr', `127.0.0.1:${port}`, '--no-analytics'],
    ...['--dump-dir', join(folder, 'dumps'), '--snapshot-dir', join(folder, 'snapshots')],
    ...['--cluster-objects', pathToFileURL(join(folder, 'shared')).href, '--cluster-secret', 'nodes of one replay'],
    ...['--cluster-url', `http://127.0.0.1:${linkPort}`, ...rest],
  ];
  const child = spawnServer(options, ['ignore', 'inherit', 'inherit']);
  await waitForHealth(`http://127.0.0.1:${port}`, child);
  return { port, child };
}

/** Passes a request on as it came, and the answer back. */
function handOver(request, response) {
  const { port } = nodes[turn++ % nodes.length];
  const { method, url: path, rawHeaders: headers } = request;
  const forwarded = openRequest({ host: '127.0.0.1', port, agent, method, path, headers }, (answer) => {
    response.writeHead(answer.statusCode, answer.rawHeaders);
    answer.pipe(response);
  });
  forwarded.on('error', (error) => response.destroy(error));
  request.pipe(forwarded);
}
