/** The documents of a bench, from a file or generated; and queries drawn from them, the same for the same seed. */
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { createDocumentGenerator, createRandom } from './document-generator.mjs';

const WRITE_DOCUMENT_COUNT = 2000;

/** Documents of an NDJSON file (`.gz` too), or `count` generated ones. */
export function readDocuments({ data, count, seed }) {
  if (data === undefined) return Array.from({ length: count }, generatorFor(count, seed));
  const raw = readFileSync(data);
  const text = (data.endsWith('.gz') ? gunzipSync(raw) : raw).toString('utf8');
  const lines = text.trim().split('\n');
  return lines.slice(0, count ?? lines.length).map((line) => JSON.parse(line));
}

/**
 * Writes generated documents as files of at most `perFile`; memory stays constant. Returns `[{ file, count, bytes }]`.
 */
export function writeGenerated({ count, seed, perFile, fileOf }) {
  const next = generatorFor(count, seed);
  const files = [];
  for (let from = 0; from < count; from += perFile) {
    const file = fileOf(files.length);
    const descriptor = openSync(file, 'w');
    const fileCount = Math.min(perFile, count - from);
    let bytes = 0;
    for (let at = 0; at < fileCount; at += WRITE_DOCUMENT_COUNT) {
      const size = Math.min(WRITE_DOCUMENT_COUNT, fileCount - at);
      bytes += writeSync(descriptor, Array.from({ length: size }, () => `${JSON.stringify(next())}\n`).join(''));
    }
    closeSync(descriptor);
    files.push({ file, count: fileCount, bytes });
  }
  return files;
}

function generatorFor(count, seed) {
  return createDocumentGenerator({ seed, vocabularyCount: Math.max(500, Math.min(50_000, count * 10)) });
}

/** `count` queries of each kind: `{ kind, q }`. */
export function drawQueries(documents, count, seed) {
  const random = createRandom(seed);
  const wordsOf = () => {
    for (;;) {
      const { title, overview } = documents[Math.floor(random() * documents.length)];
      const words = `${title} ${overview ?? ''}`.toLowerCase().match(/[a-z]{3,}/g);
      if (words !== null && words.length >= 4) return words;
    }
  };
  const run = (length) => {
    const words = wordsOf();
    const at = Math.floor(random() * (words.length - length + 1));
    return words.slice(at, at + length);
  };
  const longWord = () => {
    for (let tries = 0; tries < 50; tries++) {
      const found = wordsOf().filter((word) => word.length >= 6);
      if (found.length > 0) return found[Math.floor(random() * found.length)];
    }
    return 'wonder';
  };
  const dropLetter = (word) => {
    const at = 2 + Math.floor(random() * (word.length - 3));
    return word.slice(0, at) + word.slice(at + 1);
  };
  const kinds = {
    'two words': () => run(2).join(' '),
    'four words': () => run(4).join(' '),
    typo: () => dropLetter(longWord()),
    prefix: () => longWord().slice(0, 4),
  };
  return Object.entries(kinds).flatMap(([kind, draw]) => Array.from({ length: count }, () => ({ kind, q: draw() })));
}
