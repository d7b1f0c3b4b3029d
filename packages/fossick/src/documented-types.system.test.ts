import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { expect, test } from 'vitest';

const entry = fileURLToPath(new URL('../dist/index.d.ts', import.meta.url));

/** The comment of each member of a type of the built package, without those that have none. */
function commentsOf(checker: ts.TypeChecker, type: ts.Type): Record<string, string> {
  const members = checker.getPropertiesOfType(type);
  const comments = members.map((member) => [
    member.name,
    ts.displayPartsToString(member.getDocumentationComment(checker)),
  ]);
  return Object.fromEntries(comments.filter(([, comment]) => comment !== ''));
}

// declarations lose comments where a constant of a table is given a second name
test.skipIf(!existsSync(entry))('types that derive from the tables keep the comments of their members', () => {
  const { NodeNext } = ts.ModuleKind;
  const program = ts.createProgram([entry], {
    module: NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    skipLibCheck: true,
    strict: true,
    target: ts.ScriptTarget.ES2023,
    types: [],
  });
  const checker = program.getTypeChecker();
  const exported = checker.getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(entry)!)!);
  const typeOf = (name: string): ts.Type => {
    const symbol = exported.find((each) => each.name === name)!;
    return checker.getDeclaredTypeOfSymbol(checker.getAliasedSymbol(symbol));
  };
  const search = commentsOf(checker, typeOf('SearchParameters'));
  expect(search['rankingScoreThreshold']).toBe('0 to 1: hits below it are left out.');
  expect(Object.keys(search)).toEqual(expect.arrayContaining(['page', 'sort', 'locales', 'matchingStrategy']));
  expect(commentsOf(checker, typeOf('SimilarParameters'))).toHaveProperty('rankingScoreThreshold');
  expect(commentsOf(checker, typeOf('FacetParameters'))).toHaveProperty('locales');
  expect(commentsOf(checker, typeOf('HybridParameters'))).toHaveProperty('semanticRatio');
  expect(commentsOf(checker, typeOf('Settings'))).toHaveProperty('foreignKeys');
  expect(commentsOf(checker, typeOf('DocumentsQuery'))).toHaveProperty('sort');
});
