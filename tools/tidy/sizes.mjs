/**
 * What is larger than it should be: a warning of `npm run lint`, never a reason to cut something in two. Plain
 * JavaScript, because Node.js runs it without a compiler.
 */
import { posix } from 'node:path';
import ts from 'typescript';

/** Source files directly in one folder: more are not taken in at one look. */
export const FOLDER_FILES_MAX = 15;
/** Lines of a class: a longer one has several subjects. */
export const CLASS_LINES_MAX = 250;
/** Lines of a function: it is read without scrolling. */
export const FUNCTION_LINES_MAX = 70;
/** Words of a page about a decision: it is read in five minutes. */
export const PAGE_WORDS_MAX = 900;

const PAGE = /^docs\/internals\/decisions\/(?!README\.md$).*\.md$/;

/** Whether a file is one whose size matters: a program text that is no test, or a page about a decision. */
export function isSized(path) {
  return isSource(path) || PAGE.test(path);
}

function isSource(path) {
  const isForTests = /\.(test|bench|fuzz|test-support|fixture)\.m?[jt]s$/.test(path) || /\/test\//.test(path);
  return /\.(tsx?|mts|js|mjs)$/.test(path) && !isForTests;
}

/**
 * One sentence for each folder, class, function and page that is too large. `files` are paths with slashes, and texts.
 * O(characters)
 *
 * @param {readonly { readonly path: string; readonly text: string }[]} files
 * @returns {string[]}
 */
export function findLargeSizes(files) {
  const sources = files.filter(({ path }) => isSource(path));
  const sizes = [...foldersOf(sources), ...sources.flatMap(lengthsOf), ...files.flatMap(wordsOf)];
  return sizes
    .filter(({ size, max }) => size > max)
    .map(({ place, size, max, unit }) => `${place} has ${size} ${unit}, more than ${max}`);
}

function foldersOf(sources) {
  const counts = new Map();
  for (const { path } of sources) {
    const folder = posix.dirname(path);
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  return [...counts].map(([place, size]) => ({ place, size, max: FOLDER_FILES_MAX, unit: 'source files' }));
}

function wordsOf({ path, text }) {
  if (!PAGE.test(path)) return [];
  const size = text.split(/\s+/).filter((word) => word !== '').length;
  return [{ place: path, size, max: PAGE_WORDS_MAX, unit: 'words' }];
}

/** Lines of each function with a body and of each class, without the comment above it. One within another is part of both. */
function lengthsOf({ path, text }) {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const lineOf = (position) => source.getLineAndCharacterOfPosition(position).line;
  const lengths = [];
  const visit = (node) => {
    const isFunction = ts.isFunctionLike(node) && node.body !== undefined;
    if (isFunction || ts.isClassLike(node)) {
      const name = isFunction ? functionName(node) : (node.name?.text ?? 'a class without a name');
      const size = lineOf(node.getEnd()) - lineOf(node.getStart(source)) + 1;
      lengths.push({
        place: `${path} ${name}`,
        size,
        max: isFunction ? FUNCTION_LINES_MAX : CLASS_LINES_MAX,
        unit: 'lines',
      });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return lengths;
}

/** The function's own name; for a constructor that of its class, for an anonymous function that of what contains it. */
function functionName(node) {
  const named = ts.isConstructorDeclaration(node) ? node.parent : node;
  return (named.name ?? node.parent.name)?.text?.replace('#', '') ?? 'a function without a name';
}
