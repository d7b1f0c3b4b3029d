import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { expect, it } from 'vitest';
import { isCode, isTest, readCheckout } from '../tidy/source-file.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
/** Variables that a deployment which moves over has set already are called what they are called. */
const TWIN_VARIABLE = /\bMEILI_[A-Z_]*/g;
/** The command that copies a running instance has to say of what. */
const MOVED_FROM = /\bMeilisearch or Fossick\b/g;
/** Products that no text for users names: the ones whose interface this is like, and those that it is built on. */
const OTHER_PRODUCTS =
  /meili|algolia|elastic|typesense|opensearch|fastify|lmdb|liquidjs|light-my-request|\bzod\b|undici/i;

it('no text for users names another product', () => {
  const sources = readCheckout(ROOT).filter(
    ({ path }) => /^(packages|apps)\/([^/]+\/){1,2}src\//.test(path) && isCode(path) && !isTest(path),
  );
  const found = sources.flatMap(({ path, text }) =>
    textsIn(path, text).filter((each) =>
      OTHER_PRODUCTS.test(each.replaceAll(TWIN_VARIABLE, '').replaceAll(MOVED_FROM, '')),
    ),
  );
  expect(found).toEqual([]);
});

/** Texts of more than one word; names of headers, variables and packages are one. */
function textsIn(path: string, source: string): string[] {
  const texts: string[] = [];
  const visit = (node: ts.Node): void => {
    const isText =
      ts.isStringLiteralLike(node) ||
      node.kind === ts.SyntaxKind.TemplateHead ||
      node.kind === ts.SyntaxKind.TemplateMiddle ||
      node.kind === ts.SyntaxKind.TemplateTail;
    if (isText && /\S \S/.test((node as ts.LiteralLikeNode).text)) texts.push((node as ts.LiteralLikeNode).text);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(path, source, ts.ScriptTarget.Latest));
  return texts;
}
