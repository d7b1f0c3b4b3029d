/** A search thread: answers searches of large indexes, one after another, as JSON text. */
import { parentPort, workerData } from 'node:worker_threads';
import { ApiError } from '@fossick/base';
import { openEngineReader } from '@fossick/engine';
import { answerText } from './search/single-search.js';
import type { SearcherStart, SearchJob, SearchReport } from './searcher-messages.js';

const { dbPath, maxSearchBytes, keptAnswerBytes } = workerData as SearcherStart;
const port = parentPort!;
const engine = openEngineReader({ rootFolder: dbPath, maxSearchBytes, keptAnswerBytes });

port.on('message', (job: SearchJob | 'stop') => {
  if (job === 'stop') void engine.close().then(() => port.close());
  else port.postMessage(answer(job));
});

function answer({ indexUid, request, extras, ruleBook }: SearchJob): SearchReport {
  try {
    return { kind: 'answer', text: answerText(engine, indexUid, request, extras, ruleBook) };
  } catch (error) {
    if (error instanceof ApiError) return { kind: 'refusal', code: error.code, message: error.message };
    return { kind: 'fault', message: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}
