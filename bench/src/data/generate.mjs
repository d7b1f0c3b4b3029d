#!/usr/bin/env node
/**
 * Writes generated documents as NDJSON, the same for the same seed: `node generate.mjs --documents 100000 --out FILE [--seed 7]`.
 */
import { misused, readOptions } from '../../../tools/run/options.mjs';
import { writeGenerated } from './documents.mjs';

const { values } = readOptions({
  options: {
    documents: { type: 'string', default: '100000' },
    seed: { type: 'string', default: '7' },
    out: { type: 'string' },
  },
});
if (values.out === undefined) misused('--out FILE is missing');
const count = Number(values.documents);
const [written] = writeGenerated({ count, seed: Number(values.seed), perFile: count, fileOf: () => values.out });
console.log(`${written.count} documents, ${(written.bytes / 1e6).toFixed(1)} MB in ${written.file}`);
