/**
 * The changelog: what is written under Unreleased becomes the notes of a release, after it was checked. Entries are written by hand, for
 * those who use the packages: commits tell something else. `node tools/release/changelog.mjs VERSION` prints the notes of a version.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rootFolder } from '../run/workspace.mjs';

export const CHANGELOG = join(rootFolder, 'CHANGELOG.md');
const UNRELEASED = '## Unreleased';
const HEADING = /^## /m;
const RELEASE = /^(\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?) - \d{4}-\d{2}-\d{2}$/;
/** Those of Keep a Changelog. */
const KINDS = ['Added', 'Changed', 'Deprecated', 'Removed', 'Fixed', 'Security'];
/** One sentence; a longer one belongs on the page that it links to. */
const ENTRY_CHARS = 240;
const LINK = / \(\[[^\]]+\]\(([^)#\s]*)(?:#[^)\s]*)?\)\)\.$/;

/**
 * The text with what is under Unreleased as a version, below an empty Unreleased. Throws when the version is there already, when nothing is
 * written, and for the first problem of what is.
 */
export function withRelease(text, { version, date }) {
  const start = text.indexOf(`${UNRELEASED}\n`);
  if (start < 0) throw new Error(`the changelog has no heading ${UNRELEASED}`);
  if (text.includes(`\n## ${version} `)) throw new Error(`the changelog has a version ${version} already`);
  const from = start + UNRELEASED.length + 1;
  const next = text.slice(from).search(HEADING);
  const to = next < 0 ? text.length : from + next;
  const written = text.slice(from, to).trim();
  if (!/^- /m.test(written))
    throw new Error(`nothing is written under Unreleased: what does ${version} change for users?`);
  const problems = problemsOf(text);
  if (problems.length > 0) throw new Error(`CHANGELOG.md: ${problems.join('\n')}`);
  return `${text.slice(0, from)}\n## ${version} - ${date}\n\n${written}\n${next < 0 ? '' : '\n'}${text.slice(to)}`;
}

/** The entries of a version, for the notes of a release; throws when it is not there, and when it has none. */
export function notesOf(text, version) {
  const start = text.indexOf(`\n## ${version} `);
  if (start < 0) throw new Error(`the changelog has no version ${version}`);
  const body = text.slice(text.indexOf('\n', start + 1) + 1);
  const next = body.search(HEADING);
  const notes = (next < 0 ? body : body.slice(0, next)).trim();
  if (!/^- /m.test(notes)) throw new Error(`the changelog says nothing of version ${version}`);
  return notes;
}

/** What is wrong with a changelog: a sentence each. `exists`: whether a linked file of the repository is there. */
export function problemsOf(text, exists = (file) => existsSync(join(rootFolder, file))) {
  const problems = [];
  const say = (line, problem) => problems.push(`line ${line}: ${problem}`);
  const seen = new Set();
  let kind;
  let kinds = new Set();
  let kindLine = 0;
  let entryCount = 0;
  const endKind = () => {
    if (kind !== undefined && entryCount === 0) say(kindLine, `nothing is ${kind}`);
    kind = undefined;
  };
  text.split('\n').forEach((line, at) => {
    const number = at + 1;
    if (line.startsWith('## ')) {
      endKind();
      kinds = new Set();
      const name = line.slice(3);
      if (name !== 'Unreleased' && !RELEASE.test(name)) say(number, `\`${name}\` is no version with its date`);
      const version = RELEASE.exec(name)?.[1] ?? name;
      if (seen.has(version)) say(number, `${version} is there twice`);
      if (name === 'Unreleased' && seen.size > 0) say(number, 'Unreleased comes first');
      seen.add(version);
    } else if (line.startsWith('### ')) {
      endKind();
      [kind, kindLine, entryCount] = [line.slice(4), number, 0];
      if (!KINDS.includes(kind)) say(number, `\`${kind}\` is none of ${KINDS.join(', ')}`);
      if (kinds.has(kind)) say(number, `${kind} is there twice`);
      kinds.add(kind);
    } else if (line.startsWith('- ')) {
      entryCount += 1;
      for (const problem of entryProblems(line, kind, exists)) say(number, problem);
    } else if (kind !== undefined && line !== '') say(number, 'an entry is one line that begins with `- `');
  });
  endKind();
  return problems;
}

function* entryProblems(line, kind, exists) {
  if (kind === undefined) yield `an entry is below one of ${KINDS.join(', ')}`;
  if (line.length > ENTRY_CHARS) yield `${line.length} characters: an entry has ${ENTRY_CHARS} at most`;
  const link = LINK.exec(line);
  if (link === null) return yield 'an entry ends with a link to its page: ` ([page](docs/page.md)).`';
  if (!/^https:/.test(link[1]) && !exists(link[1])) yield `there is no ${link[1]}`;
  // names in code and abbreviations may have a full stop, the end of a sentence has a capital letter after it
  if (/[.!?] [A-Z]/.test(line.slice(0, link.index).replace(/`[^`]*`/g, ''))) yield 'an entry is one sentence';
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const text = readFileSync(CHANGELOG, 'utf8');
  const problems = problemsOf(text);
  if (problems.length > 0) throw new Error(`CHANGELOG.md: ${problems.join('\n')}`);
  console.log(notesOf(text, process.argv[2]));
}
