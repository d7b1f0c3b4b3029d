/** The third-party code in a bundle, and its licences: the text of its NOTICE file. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { rootFolder } from '../run/workspace.mjs';

/** Licences that permit distribution with our code; others must be reviewed before they are added here. */
const TERMS = new Set([
  'MIT',
  'ISC',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'Apache-2.0',
  'Unlicense',
  '0BSD',
  'BlueOak-1.0.0',
]);
/** Packages without the text of their terms, and the package of the same project that has it. */
const TERMS_ELSEWHERE = { '@assemblyscript/loader': 'assemblyscript' };
const TERMS_FILE = /^(licen[cs]e|copying|notice)([.-].*)?$/i;

/** @param folders of the packages. Throws for a licence that was not reviewed. */
export function noticeOf(folders) {
  const parts = folders.map(readPackage).sort((one, other) => (one.title < other.title ? -1 : 1));
  const list = parts.map(({ title, terms }) => `- ${title}: ${terms}`).join('\n');
  const texts = sharedTerms(parts)
    .map(({ owners, body }) => `${'='.repeat(80)}\n${owners.join('\n\n')}\n\n${body}\n`)
    .join('\n');
  return `The files in dist hold code of these packages in addition to Fossick's own:\n\n${list}\n\nTheir terms:\n\n${texts}`;
}

/** Where the terms begin, after the names of those who give them. */
const TERMS_BEGIN = /Permission is hereby granted|Permission to use, copy|Redistribution and use/;

/** Terms of the same words stand once, below all packages that have them, each with its own copyright lines. */
function sharedTerms(parts) {
  const byWords = new Map();
  for (const { title, text } of parts) {
    const at = Math.max(0, text.search(TERMS_BEGIN));
    const body = text.slice(at).trim();
    const owner = [title, text.slice(0, at).trim()].filter((each) => each !== '').join('\n\n');
    const words = body.replace(/\s+/g, ' ');
    const known = byWords.get(words);
    if (known === undefined) byWords.set(words, { owners: [owner], body });
    else known.owners.push(owner);
  }
  return [...byWords.values()];
}

function readPackage(folder) {
  const { name, version, license: terms, author } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  if (!TERMS.has(terms)) throw new Error(`${name} is under ${terms}: may it be bundled? See TERMS`);
  const textFolder = name in TERMS_ELSEWHERE ? join(rootFolder, 'node_modules', TERMS_ELSEWHERE[name]) : folder;
  const files = readdirSync(textFolder).filter((file) => TERMS_FILE.test(file));
  if (files.length === 0 && terms !== 'MIT') throw new Error(`${name} has no text of its terms`);
  const by = typeof author === 'object' ? author.name : author;
  const text =
    files.length === 0
      ? `By ${by ?? 'its authors'}, who give the name of the terms and not their text:\n\n${mitTerms()}`
      : files.map((file) => readFileSync(join(textFolder, file), 'utf8').trim()).join('\n\n');
  return { title: `${name} ${version}`, terms, text };
}

/** The MIT licence without its copyright line. */
function mitTerms() {
  const text = readFileSync(join(rootFolder, 'LICENSE'), 'utf8');
  return text.slice(text.indexOf('Permission is hereby granted'));
}
