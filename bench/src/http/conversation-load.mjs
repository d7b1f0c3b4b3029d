/**
 * The two ends of many conversations, each to be run in a process of its own: a model server that streams an answer for some time, and
 * clients that hold conversations.
 *
 *   node conversation-load.mjs provider '{"chunkCount":20,"streamMs":2000,"searches":false}'
 *   node conversation-load.mjs clients  '{"url":…,"count":200,"shape":"burst"|"steady","streamMs":2000}'
 *
 * Both write one line of JSON when they are ready; the provider answers SIGUSR2 with a line `{"open":N}`, the clients end at SIGTERM with a
 * line of what they saw.
 */
import { Agent, createServer, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

const [, , role, text] = process.argv;
const options = JSON.parse(text);
const tell = (said) => process.stdout.write(`${JSON.stringify(said)}\n`);
if (role === 'provider') serveModel(options);
else await holdConversations(options);

function chunk(delta, finish = null) {
  const choices = [{ index: 0, delta, logprobs: null, finish_reason: finish }];
  return `data: ${JSON.stringify({ id: 'm', object: 'chat.completion.chunk', created: 1, model: 'm', choices })}\n\n`;
}

/** Streams `chunkCount` words in `streamMs`; with `searches`, the first round of each conversation is one search instead. */
function serveModel({ chunkCount, streamMs, searches }) {
  let [open, askedCount] = [0, 0];
  const server = createServer(async (incoming, response) => {
    open++;
    response.once('close', () => open--);
    const pieces = [];
    for await (const piece of incoming) pieces.push(piece);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    // the model has received the result of a search
    const isSecond = Buffer.concat(pieces).includes('"role":"tool"');
    if (searches && !isSecond) {
      const given = JSON.stringify({ index_uid: 'bench', q: WORDS[askedCount++ % WORDS.length], filter: '' });
      const called = {
        index: 0,
        id: 'c1',
        type: 'function',
        function: { name: '_serviceSearchInIndex', arguments: given },
      };
      response.end(`${chunk({ tool_calls: [called] })}${chunk({}, 'tool_calls')}data: [DONE]\n\n`);
      return;
    }
    for (let at = 0; at < chunkCount && !response.destroyed; at++) {
      response.write(chunk({ content: `word${at} ` }));
      await sleep(streamMs / chunkCount);
    }
    if (!response.destroyed) response.end(`${chunk({}, 'stop')}data: [DONE]\n\n`);
  });
  process.on('SIGUSR2', () => tell({ open }));
  server.listen(0, '127.0.0.1', () => tell({ port: server.address().port }));
}
const WORDS = ['love', 'war', 'robot', 'summer in paris', 'detective', 'space travel', 'a family secret', 'ghost'];

/** `burst`: all begin at the same instant, repeatedly; `steady`: their starts are spread over the duration of one. */
async function holdConversations({ url, count, shape, streamMs }) {
  const { hostname, port } = new URL(url);
  const agent = new Agent({ keepAlive: true, maxSockets: count + 10 });
  const body = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'Which film, please?' }] });
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
  let [isOver, doneCount, failedCount] = [false, 0, 0];
  const firstMs = [];
  const hold = () =>
    new Promise((resolve) => {
      const startedMs = performance.now();
      const path = '/chats/bench/chat/completions';
      const outgoing = request({ agent, hostname, port, method: 'POST', path, headers }, (answer) => {
        let end = '';
        answer.once('data', () => firstMs.push(performance.now() - startedMs));
        answer.on('data', (bytes) => {
          end = bytes.subarray(-20).toString('latin1');
        });
        answer.on('error', () => resolve(false));
        answer.on('end', () => resolve(answer.statusCode === 200 && end.includes('[DONE]')));
      });
      outgoing.on('error', () => resolve(false));
      outgoing.end(body);
    });
  const count1 = (isDone) => {
    if (isDone) doneCount++;
    else failedCount++;
  };
  process.on('SIGTERM', () => {
    isOver = true;
  });
  tell({ ready: true });
  if (shape === 'burst')
    while (!isOver) for (const isDone of await Promise.all(Array.from({ length: count }, hold))) count1(isDone);
  else
    await Promise.all(
      Array.from({ length: count }, async (_, at) => {
        await sleep((at / count) * streamMs);
        while (!isOver) count1(await hold());
      }),
    );
  agent.destroy();
  firstMs.sort((left, right) => left - right);
  const quantile = (part) => Math.round(firstMs[Math.floor(part * (firstMs.length - 1))] ?? 0);
  tell({ doneCount, failedCount, firstByteMs: { p50: quantile(0.5), p99: quantile(0.99) } });
}
