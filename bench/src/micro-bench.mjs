#!/usr/bin/env node
import { createKernel } from '@fossick/kernel';
import { createTokenizer } from '@fossick/tokenizer';
/**
 * `npm run bench:micro`: the basic loops of the engine, each by itself, in processor time.
 *
 *   npm run bench:micro -- [--documents 20000] [--seed 7] [--rounds 5] [--json OUT.json]
 */
import { readOptions } from '../../tools/run/options.mjs';
import { readDocuments } from './data/documents.mjs';
import { hashOf, printTable, round, startMeter, writeResult } from './results.mjs';

const { values } = readOptions({
  options: {
    documents: { type: 'string', default: '20000' },
    seed: { type: 'string', default: '7' },
    rounds: { type: 'string', default: '5' },
    json: { type: 'string' },
    smoke: { type: 'boolean', default: false },
  },
});
const documents = readDocuments({ count: values.smoke ? 200 : Number(values.documents), seed: Number(values.seed) });
const roundCount = values.smoke ? 1 : Number(values.rounds);
const texts = documents.map((document) => document.overview);
const unitCount = texts.reduce((sum, text) => sum + text.length, 0);
const kernel = createKernel();
const tokenizer = createTokenizer({});
const inverter = kernel.lists.createInverter();

const rows = [];
const wordCount = measure('tokenizer: visit words', 'MB/s', unitCount / 1e6, visitAll);
measure('kernel: walk texts', 'MB/s', unitCount / 1e6, walkAll);
const lists = measure('kernel: walk, sort and encode', 'words/s', wordCount, encodeAll);
const dictionary = toKernel(lists.dictionary);
const words = kernel.dictionaries.wordsBetween(dictionary, 0, lists.wordCount);
const encoder = new TextEncoder();
const encoded = words.map((word) => encoder.encode(word));
measure('dictionary: build by the host', 'words/s', words.length, () => kernel.dictionaries.build(encoded).length);
measure('dictionary: find', 'words/s', words.length, () =>
  encoded.map((word) => kernel.dictionaries.find(dictionary, word)),
);
const misspelt = words
  .filter((word) => word.length >= 6)
  .slice(0, 300)
  .map((word) => word.slice(0, 3) + word.slice(4));
measure('dictionary: one typo', 'words/s', misspelt.length, () =>
  misspelt.map((word) => kernel.dictionaries.fuzzyWords(dictionary, word, 1, false).ordinals.length),
);
measure('dictionary: two typos', 'words/s', misspelt.length, () =>
  misspelt.map((word) => kernel.dictionaries.fuzzyWords(dictionary, word, 2, true).ordinals.length),
);
const postings = toKernel(lists.postings);
measure('postings: documents of every word', 'words/s', wordCount, orAll);
measure('bitmaps: and', 'million documents/s', documents.length * 1000 * 1e-6, andAll);
printTable(rows);
writeResult(
  { documents: documents.length, words: wordCount, rows, answersHash: hashOf(rows.map((row) => row.result)) },
  values.json,
);

/**
 * The best of several rounds; `amount` is the work of one round in units of `unit` times seconds. Returns the result of
 * the work.
 */
function measure(name, unit, amount, work) {
  let bestMs = Number.POSITIVE_INFINITY;
  let result;
  for (let at = 0; at < roundCount; at++) {
    const readMeter = startMeter();
    result = work();
    bestMs = Math.min(bestMs, Math.max(readMeter().cpuMs, 0.001));
  }
  rows.push({
    name,
    rate: round((amount / bestMs) * 1000, 1),
    unit,
    'cpu ms': bestMs,
    result: hashOf(String(summary(result))),
  });
  return result;
}

function summary(result) {
  return typeof result === 'object' && 'wordCount' in result ? [...result.offsets].join() : result;
}

function visitAll() {
  let count = 0;
  for (const text of texts) tokenizer.visitWords(text, 0, () => count++);
  return count;
}

function walkAll() {
  inverter.reset();
  const { classes, classifiesAll, isSymbol } = tokenizer.units;
  const classify = () => ({ kind: 'unindexed' });
  inverter.setRules({ classes, classifiesAll, isSymbol, splitsNumbers: false, classify });
  let count = 0;
  texts.forEach((text, ordinal) => {
    inverter.document(ordinal);
    inverter.addText(text, 0, 0, 0);
    count += inverter.emitted;
  });
  return count;
}

function encodeAll() {
  walkAll();
  const parts = inverter.table(0);
  return {
    wordCount: parts.wordCount,
    dictionary: parts.dictionary.slice(),
    offsets: parts.offsets.slice(),
    postings: parts.postings.slice(),
  };
}

function orAll() {
  const mark = kernel.memory.mark();
  const docs = kernel.bitmaps.create(documents.length);
  let count = 0;
  for (let word = 0; word < lists.wordCount; word++) {
    kernel.bitmaps.clear(docs);
    kernel.lists.orDocs(docs, { ptr: postings + lists.offsets[word], deleted: 0 });
    count += kernel.bitmaps.count(docs);
  }
  kernel.memory.release(mark);
  return count;
}

function andAll() {
  const mark = kernel.memory.mark();
  const left = kernel.bitmaps.create(documents.length);
  const right = kernel.bitmaps.create(documents.length);
  kernel.bitmaps.set(left, 7);
  for (let at = 0; at < 1000; at++) kernel.bitmaps.and(left, right);
  const count = kernel.bitmaps.count(left);
  kernel.memory.release(mark);
  return count;
}

function toKernel(bytes) {
  const ptr = kernel.memory.allocate(bytes.length + 16);
  kernel.memory.write(ptr, bytes);
  return ptr;
}
