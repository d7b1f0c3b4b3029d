/** A thread that reads one dictionary, sends its tables and ends. */
import { parentPort, workerData } from 'node:worker_threads';
import { type DictionaryName, readDictionary } from '@fossick/tokenizer';

const { tables, buffers } = readDictionary(workerData as DictionaryName);
parentPort!.postMessage(tables, [...buffers]);
