/**
 * Members of plain objects with names from outside must be accessed by `own` and `setOwn` of base: `record[name]` finds
 * `constructor` in every object, `record[name] = value` loses `__proto__`, and `name in record` has both problems.
 */
import { join } from 'node:path';
import ts from 'typescript';

/** The two functions themselves. */
const EXEMPT = 'packages/foundation/base/src/own-members.ts';

export interface NameFind {
  readonly path: string;
  /** 1-based. */
  readonly line: number;
  readonly text: string;
}

/** A TypeScript program of the checkout's sources. Takes seconds, most of it in the compiler. */
export function programOf(rootFolder: string, paths: readonly string[]): ts.Program {
  const { config } = ts.readConfigFile(join(rootFolder, 'tsconfig.base.json'), ts.sys.readFile) as { config: object };
  const { options } = ts.parseJsonConfigFileContent({ ...config, files: [] }, ts.sys, rootFolder);
  return ts.createProgram({
    rootNames: paths.map((path) => join(rootFolder, path)),
    options: { ...options, composite: false, incremental: false, noEmit: true, skipLibCheck: true },
  });
}

/** Every access to an object by a name that is not known at compile time. O(size of the sources) */
export function findReceivedNames(program: ts.Program, rootFolder: string, paths: readonly string[]): NameFind[] {
  const checker = program.getTypeChecker();
  const finds: NameFind[] = [];
  for (const path of paths) {
    const source = program.getSourceFile(join(rootFolder, path));
    if (source === undefined || path === EXEMPT) continue;
    const visit = (node: ts.Node): void => {
      if (looksIn(node, checker)) {
        const line = source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1;
        finds.push({ path, line, text: node.getText(source) });
      }
      ts.forEachChild(node, visit);
    };
    visit(source);
  }
  return finds;
}

function looksIn(node: ts.Node, checker: ts.TypeChecker): boolean {
  if (ts.isElementAccessExpression(node)) {
    if (ts.isDeleteExpression(node.parent) || isOwnKey(node)) return false;
    return isText(node.argumentExpression, checker) && isRecord(node.expression, checker);
  }
  if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.InKeyword)
    return isText(node.left, checker) && isRecord(node.right, checker);
  // const { [name]: value } = record
  return (
    ts.isBindingElement(node) &&
    node.propertyName !== undefined &&
    ts.isComputedPropertyName(node.propertyName) &&
    isText(node.propertyName.expression, checker)
  );
}

/**
 * `record[key]` where the enclosing loop iterates over the keys of the same record: `for (const key of
 * Object.keys(record))`.
 */
function isOwnKey({ expression, argumentExpression }: ts.ElementAccessExpression): boolean {
  const keys = [`Object.keys(${expression.getText()})`, expression.getText()];
  for (let node: ts.Node = expression; !ts.isSourceFile(node); node = node.parent) {
    if (!ts.isForOfStatement(node) && !ts.isForInStatement(node)) continue;
    const [from, ofKeys] = [node.expression.getText(), ts.isForOfStatement(node) ? keys[0] : keys[1]];
    const [variable] = ts.isVariableDeclarationList(node.initializer) ? node.initializer.declarations : [];
    if (from === ofKeys && variable?.name.getText() === argumentExpression.getText()) return true;
  }
  return false;
}

function isText(node: ts.Expression, checker: ts.TypeChecker): boolean {
  return (checker.getTypeAtLocation(node).flags & ts.TypeFlags.String) !== 0;
}

/** An object that may have members of any name; lists are not. */
function isRecord(node: ts.Expression, checker: ts.TypeChecker): boolean {
  const type = checker.getNonNullableType(checker.getTypeAtLocation(node));
  return (type.isUnion() ? type.types : [type]).some(
    (each) => checker.getIndexInfoOfType(each, ts.IndexKind.String) !== undefined,
  );
}
