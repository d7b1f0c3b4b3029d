#!/usr/bin/env node
/**
 * Cost of the tokenizer's dictionaries for a thread: `node bench/src/data/dictionaries.mjs [--runs 5]`. Each language in a
 * process of its own, the median of the runs: time to cut the first text, bytes that stay (heap and buffers after a
 * collection), and the maximum above them.
 */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const TEXTS = {
  Chinese: { text: '进击的巨人' },
  Japanese: { text: '関西国際空港', locales: ['jpn'] },
  Korean: { text: '학교에서', locales: ['kor'] },
  Thai: { text: 'ภาษาไทยง่ายนิดเดียว' },
  Khmer: { text: 'ភាសាខ្មែរ' },
  German: { text: 'Apfelbaum', locales: ['deu'] },
  'Arabic script': { text: 'کتاب خوب است' },
};
const MEGABYTE = 2 ** 20;

if (process.argv[2] === '--language') console.log(JSON.stringify(await measureHere(TEXTS[process.argv[3]])));
else measureAll(process.argv[2] === '--runs' ? Number(process.argv[3]) : 5);

/** Milliseconds and bytes of the first text; run with --expose-gc. */
async function measureHere({ text, locales }) {
  const { createTokenizer } = await import('@fossick/tokenizer');
  const { tokenize } = createTokenizer({});
  tokenize('some words to begin with');
  const before = heldBytes();
  const rssBefore = process.resourceUsage().maxRSS * 1024;
  const start = performance.now();
  const words = tokenize(text, locales).map(({ lemma }) => lemma);
  const ms = performance.now() - start;
  const peak = process.resourceUsage().maxRSS * 1024 - rssBefore;
  const held = heldBytes() - before;
  return { ms, held, onTop: Math.max(0, peak - held), words };
}

function heldBytes() {
  globalThis.gc();
  globalThis.gc();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

function measureAll(runs) {
  const file = fileURLToPath(import.meta.url);
  console.log('language         first text   stays   on top  words');
  for (const language of Object.keys(TEXTS)) {
    const args = ['--expose-gc', file, '--language', language];
    const found = Array.from({ length: runs }, () =>
      JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' })),
    );
    const median = (name) => found.map((one) => one[name]).sort((a, b) => a - b)[runs >> 1];
    const megabytes = (name) => `${Math.round(median(name) / MEGABYTE)} MB`.padStart(7);
    const time = `${Math.round(median('ms'))} ms`.padStart(9);
    console.log(
      `${language.padEnd(16)} ${time} ${megabytes('held')} ${megabytes('onTop')}  ${found[0].words.join(' | ')}`,
    );
  }
}
