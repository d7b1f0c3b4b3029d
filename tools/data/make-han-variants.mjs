#!/usr/bin/env node
/**
 * Makes packages/foundation/tokenizer/dictionaries/han.gz from the Unihan database (see packages/foundation/tokenizer/dictionaries/README.md):
 *
 *   node tools/data/make-han-variants.mjs PATH/Unihan_Variants.txt PATH/Unihan_OtherMappings.txt
 *
 * Which of Unihan's relations make two characters one to a search is docs/internals/decisions/languages.md's. The same
 * input gives the same file.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';

const LINE_LENGTH_MAX = 110;
const ENTRY = /^U\+([0-9A-F]+)\t(\w+)\t(.*)$/;
const CODE_POINT = /U\+([0-9A-F]+)/g;
/** Compatibility ideographs are decomposed before variants are looked up. */
const COMPATIBILITY = /[\uf900-\ufaff]/;
const files = process.argv.slice(2);
if (files.length !== 2) {
  console.error('usage: node tools/data/make-han-variants.mjs PATH/Unihan_Variants.txt PATH/Unihan_OtherMappings.txt');
  process.exit(2);
}
const fields = new Map();
for (const file of files) readFields(file);

/** A character -> the one that replaces it, or the next in a chain. */
const folds = new Map();
addTraditional();
addSameShapes();
addJapanese();
writeClasses();

function readFields(file) {
  for (const line of readFileSync(file, 'utf8').split('\n')) {
    const [, code, field, value] = ENTRY.exec(line.trimEnd()) ?? [];
    if (field === undefined) continue;
    if (!fields.has(field)) fields.set(field, new Map());
    const others = [...value.matchAll(CODE_POINT)].map(([, other]) => String.fromCodePoint(Number.parseInt(other, 16)));
    fields.get(field).set(String.fromCodePoint(Number.parseInt(code, 16)), others);
  }
}

/**
 * A simplified character is replaced by its traditional one, unless it has several or is a traditional character
 * itself.
 */
function addTraditional() {
  for (const [char, forms] of fields.get('kTraditionalVariant')) {
    const [traditional, another] = forms.filter((form) => form !== char);
    if (traditional === undefined || another !== undefined || fields.get('kBigFive').has(char)) continue;
    folds.set(char, traditional);
  }
}

/** Characters that differ only in how they are drawn. */
function addSameShapes() {
  for (const [char, shapes] of fields.get('kZVariant')) {
    for (const shape of shapes) if (addUnlessFolded(char, shape)) break;
  }
}

/** The old form of a Japanese character, which names may use; the new form refers to the old one. */
function addJapanese() {
  const pairs = [...fields.get('kJinmeiyoKanji')].flatMap(([old, news]) => news.map((form) => [form, old]));
  for (const [form, old] of pairs.sort(([left], [right]) => left.codePointAt(0) - right.codePointAt(0))) {
    if (!fields.get('kBigFive').has(form) && !COMPATIBILITY.test(old)) addUnlessFolded(form, old);
  }
}

function addUnlessFolded(char, target) {
  if (folds.has(char) || canonical(target) === char) return false;
  folds.set(char, target);
  return true;
}

function canonical(char) {
  let at = char;
  while (folds.has(at)) at = folds.get(at);
  return at;
}

function writeClasses() {
  const classes = new Map();
  for (const char of [...folds.keys()].sort((left, right) => left.codePointAt(0) - right.codePointAt(0))) {
    const first = canonical(char);
    classes.set(first, (classes.get(first) ?? first) + char);
  }
  const lines = [''];
  for (const text of [...classes.values()].sort((left, right) => left.codePointAt(0) - right.codePointAt(0))) {
    if (lines.at(-1).length + text.length + 1 > LINE_LENGTH_MAX) lines.push('');
    lines.push(`${lines.pop()} ${text}`.trimStart());
  }
  const target = new URL('../../packages/foundation/tokenizer/dictionaries/han.gz', import.meta.url);
  writeFileSync(target, gzipSync(`${lines.join('\n')}\n`, { level: 9 }));
  console.log(`${folds.size} characters in ${classes.size} classes`);
}
