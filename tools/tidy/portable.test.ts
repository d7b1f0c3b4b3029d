import { readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { loadedFrom, ROOT } from './loaded-modules.js';

/** Entry points for browsers, workers, Deno and workerd. */
const PORTABLE = ['packages/fossick/src/web/index.ts', 'packages/fossick/src/web/search.ts'];
/** The two modules that look for Node.js, and do without it. */
const LOOK_FOR_NODE = ['packages/foundation/base/src/bytes.ts', 'packages/foundation/base/src/process/built-in.ts'];

/** Whether code, not comments or types, names the global `Buffer`. */
function usesBuffer(file: string): boolean {
  const source = ts.createSourceFile(file, readFileSync(join(ROOT, file), 'utf8'), ts.ScriptTarget.Latest, true);
  let isUsed = false;
  const visit = (node: ts.Node): void => {
    if (ts.isTypeNode(node)) return;
    if (ts.isIdentifier(node) && node.text === 'Buffer') isUsed = true;
    node.forEachChild(visit);
  };
  visit(source);
  return isUsed;
}

test.each(PORTABLE)('%s loads no module of Node.js and uses no Buffer', (entry) => {
  const loaded = [...loadedFrom(entry)];
  expect(loaded.length).toBeGreaterThan(200);
  expect(loaded.filter((one) => isBuiltin(one) || /^(lmdb|undici|fs-native-extensions)$/.test(one))).toEqual([]);
  const files = loaded.filter((one) => one.endsWith('.ts') && !LOOK_FOR_NODE.includes(one));
  expect(files.filter(usesBuffer)).toEqual([]);
});
