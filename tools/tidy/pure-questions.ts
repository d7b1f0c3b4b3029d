/** Getters and predicates of the engine answer from what is there: they load nothing, make nothing and count nobody. */
import ts from 'typescript';
import { isTest, type SourceFile } from './source-file.js';

/** Folders whose getters and predicates are checked. */
const FOLDERS = ['packages/engine/', 'packages/foundation/kernel/src/'];
const PREDICATE = /^(is|are|has|can|may|uses|needs|wants)[A-Z]/;
/** Files whose getters assign, with the reason. */
const EXCEPTIONS: ReadonlyMap<string, string> = new Map([
  ['packages/foundation/kernel/src/memory-view.ts', 'views of memory that has grown are made anew: they own nothing'],
]);
/** Functions that change memory: what loads, makes or frees something begins with one of these words. */
const CHANGING = /^(load|prepare|make|hold|touch|drop|grow|free|evict|allocate|create|scratch)([A-Z]|$)/;

/** Getters, and functions named as questions, that assign members or call what changes memory. */
export function findImpureQuestions(files: readonly SourceFile[]): string[] {
  return files
    .filter(
      ({ path }) =>
        /\.ts$/.test(path) &&
        !isTest(path) &&
        !EXCEPTIONS.has(path) &&
        FOLDERS.some((folder) => path.startsWith(folder)),
    )
    .flatMap(({ path, text }) => {
      const finds: string[] = [];
      const visit = (node: ts.Node): void => {
        const question = questionOf(node);
        if (question !== undefined)
          for (const change of changesIn(question.body)) finds.push(`${path}: ${question.name} ${change}`);
        ts.forEachChild(node, visit);
      };
      visit(ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true));
      return finds;
    });
}

/** The name and body of a getter or predicate. */
function questionOf(node: ts.Node): { readonly name: string; readonly body: ts.Node } | undefined {
  if (ts.isGetAccessorDeclaration(node) && node.body !== undefined)
    return { name: `get ${node.name.getText()}`, body: node.body };
  const isNamed = ts.isMethodDeclaration(node) || ts.isFunctionDeclaration(node);
  if (isNamed && node.body !== undefined && node.name !== undefined && PREDICATE.test(node.name.getText()))
    return { name: node.name.getText(), body: node.body };
  const isConstant = ts.isVariableDeclaration(node) && node.initializer !== undefined;
  if (isConstant && ts.isArrowFunction(node.initializer!) && PREDICATE.test(node.name.getText()))
    return { name: node.name.getText(), body: node.initializer.body };
  return undefined;
}

function changesIn(body: ts.Node): string[] {
  const changes: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isBinaryExpression(node) && isAssignment(node.operatorToken.kind) && isMember(node.left))
      changes.push(`assigns ${node.left.getText()}`);
    const isStep =
      (ts.isPrefixUnaryExpression(node) || ts.isPostfixUnaryExpression(node)) &&
      (node.operator === ts.SyntaxKind.PlusPlusToken || node.operator === ts.SyntaxKind.MinusMinusToken);
    if (isStep && isMember(node.operand)) changes.push(`counts ${node.operand.getText()}`);
    if (ts.isCallExpression(node)) {
      const callee = ts.isPropertyAccessExpression(node.expression) ? node.expression.name : node.expression;
      const isAtomic = node.expression.getText().startsWith('Atomics.');
      if (!isAtomic && CHANGING.test(callee.getText())) changes.push(`calls ${callee.getText()}`);
    }
    ts.forEachChild(node, visit);
  };
  visit(body);
  return changes;
}

const isAssignment = (kind: ts.SyntaxKind): boolean =>
  kind >= ts.SyntaxKind.FirstAssignment && kind <= ts.SyntaxKind.LastAssignment;

const isMember = (node: ts.Node): boolean => ts.isPropertyAccessExpression(node) || ts.isElementAccessExpression(node);
