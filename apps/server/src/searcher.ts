/** A search thread: answers searches of large indexes, one after another, as JSON bytes. */
import { parentPort, workerData } from 'node:worker_threads';
import { ApiError } from '@fossick/base';
import { openEngineReader } from '@fossick/engine';
import { chatSearchBytes } from './chats/chat-search.js';
import { answerBytes } from './search/single-search.js';
import type { SearcherStart, SearchJob, SearchReport } from './searcher-messages.js';

const { dbPath, maxSearchBytes, keptAnswerBytes } = workerData as SearcherStart;
const port = parentPort!;
const engine = openEngineReader({ rootFolder: dbPath, maxSearchBytes, keptAnswerBytes });

port.on('message', (job: SearchJob | 'stop') => {
  if (job === 'stop') void engine.close().then(() => port.close());
  else send(answer(job));
});

/** An answer's buffer goes to the other thread without a copy. */
function send(report: SearchReport): void {
  port.postMessage(report, report.kind === 'answer' ? [report.bytes.buffer as ArrayBuffer] : []);
}

function answer({ indexUid, request, extras, ruleBook, scope, chatTextBytes }: SearchJob): SearchReport {
  try {
    const bytes =
      chatTextBytes === undefined
        ? answerBytes(engine, indexUid, request, extras, ruleBook, scope)
        : chatSearchBytes(engine, indexUid, request, chatTextBytes, ruleBook, scope);
    return { kind: 'answer', bytes };
  } catch (error) {
    if (error instanceof ApiError) return { kind: 'refusal', code: error.code, message: error.message };
    return { kind: 'fault', message: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}
