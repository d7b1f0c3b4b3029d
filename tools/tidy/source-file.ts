/** Reads the checkout's files and collects what the rules need. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

/** A text file of the checkout; `path` is relative to the root, with slashes. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

/** What the rules need to know of a program text. */
export interface CodeFacts {
  /** Module specifiers of imports, re-exports and dynamic imports. */
  readonly modules: readonly string[];
  /** The same with the names that are imported; `*` stands for all of a module. */
  readonly imports: readonly { readonly module: string; readonly names: readonly string[] }[];
  readonly hasDefaultExport: boolean;
  /** Names used as identifiers, outside of comments and strings. */
  readonly identifiers: ReadonlySet<string>;
  /** Expressions `Date.now`, `performance.now` and `new Date()` without arguments. */
  readonly readsClock: boolean;
  /** Functions with a body and the number of their parameters, by name; of several with one name the largest number. */
  readonly parameterCounts: ReadonlyMap<string, number>;
  /** Whether there are members like `#name`. */
  readonly hasHashNames: boolean;
  /** Codes, as in the program text, of errors created with a text in place. */
  readonly literalErrors: readonly string[];
  /** Names of ids of documents, segments and fields that are declared as plain numbers. */
  readonly bareIds: readonly string[];
}

const SKIPPED_FOLDERS = new Set(['node_modules', 'dist', 'build', '.git', '.turbo', 'coverage', 'data.fossick']);
const TEXT_FILE = /(\.(tsx?|mts|js|mjs|json|md|yml|yaml|html|css|toml|ndjson|txt|sh)|^run|^LICENSE)$/;

/** Every text file under `rootFolder`, in path order. Build output and installed packages are left out. */
export function readCheckout(rootFolder: string): SourceFile[] {
  const files: SourceFile[] = [];
  const walk = (folder: string): void => {
    const entries = readdirSync(join(rootFolder, folder), { withFileTypes: true });
    for (const entry of entries.sort((left, right) => (left.name < right.name ? -1 : 1))) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory()) {
        if (!SKIPPED_FOLDERS.has(entry.name)) walk(path);
      } else if (entry.isFile() && TEXT_FILE.test(entry.name) && entry.name !== 'package-lock.json') {
        files.push({ path, text: readFileSync(join(rootFolder, path), 'utf8') });
      }
    }
  };
  walk('');
  return files;
}

/** True for program texts that Node runs or tsc compiles; AssemblyScript is another language. */
export function isCode(path: string): boolean {
  return /\.(tsx?|mts|js|mjs)$/.test(path) && !path.includes('/assembly/');
}

/** Tests and the files for them: support code and fixtures are not published either. */
export function isTest(path: string): boolean {
  return /\.(test|bench|fuzz|test-support|fixture)\.m?[jt]s$/.test(path) || /\/test\//.test(path);
}

/** Parses the file once and collects the facts. O(length). */
export function readFacts(file: SourceFile): CodeFacts {
  const imports: { readonly module: string; readonly names: readonly string[] }[] = [];
  const identifiers = new Set<string>();
  let hasDefaultExport = false;
  let readsClock = false;
  let hasHashNames = false;
  const literalErrors: string[] = [];
  const parameterCounts = new Map<string, number>();
  const bareIds: string[] = [];
  const source = ts.createSourceFile(file.path, file.text, ts.ScriptTarget.Latest, true);
  const visit = (node: ts.Node): void => {
    const specifier = specifierOf(node);
    if (specifier !== undefined) imports.push({ module: specifier, names: namesOf(node) });
    if (ts.isIdentifier(node)) identifiers.add(node.text);
    if (isDefaultExport(node)) hasDefaultExport = true;
    if (isClockRead(node)) readsClock = true;
    if (ts.isPrivateIdentifier(node)) hasHashNames = true;
    const code = literalErrorOf(node);
    if (code !== undefined) literalErrors.push(code);
    if (ts.isFunctionLike(node) && 'body' in node && node.body !== undefined) {
      const name = functionName(node);
      parameterCounts.set(name, Math.max(node.parameters.length, parameterCounts.get(name) ?? 0));
    }
    const id = bareIdOf(node);
    if (id !== undefined) bareIds.push(id);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return {
    modules: imports.map(({ module }) => module),
    imports,
    hasDefaultExport,
    identifiers,
    readsClock,
    parameterCounts,
    hasHashNames,
    literalErrors,
    bareIds,
  };
}

/** The function's own name; for a constructor that of its class, for an anonymous function that of what contains it. */
function functionName(node: ts.SignatureDeclaration): string {
  const named = ts.isConstructorDeclaration(node) ? node.parent : node;
  const name = named.name ?? (node.parent as ts.NamedDeclaration).name;
  return name !== undefined && 'text' in name ? String(name.text).replace('#', '') : 'a function without a name';
}

function specifierOf(node: ts.Node): string | undefined {
  const isDeclaration = ts.isImportDeclaration(node) || ts.isExportDeclaration(node);
  if (isDeclaration && node.moduleSpecifier !== undefined && ts.isStringLiteral(node.moduleSpecifier)) {
    return node.moduleSpecifier.text;
  }
  if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
    const first = node.arguments[0];
    return first !== undefined && ts.isStringLiteral(first) ? first.text : undefined;
  }
  if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument) && ts.isStringLiteral(node.argument.literal)) {
    return node.argument.literal.text;
  }
  return undefined;
}

/** The names that an import, a re-export or a dynamic import takes of its module. */
function namesOf(node: ts.Node): string[] {
  const taken = ts.isImportDeclaration(node)
    ? node.importClause?.namedBindings
    : ts.isExportDeclaration(node)
      ? node.exportClause
      : takenFromAwaited(node);
  if (taken !== undefined && ts.isPropertyAccessExpression(taken)) return [taken.name.text];
  const isList = taken !== undefined && 'elements' in taken;
  return isList ? taken.elements.map(({ propertyName, name }) => (propertyName ?? name).getText()) : ['*'];
}

/** What is done with `await import(…)`: its members are bound to names, or one is used. */
function takenFromAwaited(node: ts.Node): ts.ObjectBindingPattern | ts.PropertyAccessExpression | undefined {
  let { parent } = node;
  while (ts.isAwaitExpression(parent) || ts.isParenthesizedExpression(parent)) parent = parent.parent;
  if (ts.isPropertyAccessExpression(parent)) return parent;
  return ts.isVariableDeclaration(parent) && ts.isObjectBindingPattern(parent.name) ? parent.name : undefined;
}

const ID_NAME = /(docId|segmentId|columnsId|fieldId)(s|Of|sOf)?$/i;

/** The name of a declaration of an id, of ids or of a function that returns one, if its type is a plain number. */
function bareIdOf(node: ts.Node): string | undefined {
  const isDeclaration =
    ts.isVariableDeclaration(node) ||
    ts.isParameter(node) ||
    ts.isPropertySignature(node) ||
    ts.isPropertyDeclaration(node) ||
    ts.isNamedTupleMember(node) ||
    (ts.isFunctionLike(node) && node.name !== undefined);
  if (!isDeclaration || node.name === undefined || node.type === undefined) return undefined;
  const name = node.name.getText();
  return ID_NAME.test(name) && holdsNumbers(node.type) ? name : undefined;
}
function holdsNumbers(type: ts.Node): boolean {
  if (ts.isFunctionTypeNode(type)) return holdsNumbers(type.type);
  if (ts.isTypeReferenceNode(type) && type.typeArguments !== undefined) return holdsNumbers(type.typeArguments[0]!);
  if (ts.isTypeLiteralNode(type) || ts.isTupleTypeNode(type)) return false;
  if (type.kind === ts.SyntaxKind.NumberKeyword) return true;
  return ts.forEachChild(type, holdsNumbers) ?? false;
}

/** The code of `new ApiError(code, text)`, or `foreignText`, if the text has words of its own. */
function literalErrorOf(node: ts.Node): string | undefined {
  if (ts.isCallExpression(node) && node.expression.getText() === 'foreignText')
    return node.arguments[0] !== undefined && hasWords(node.arguments[0]) ? 'foreignText' : undefined;
  if (!ts.isNewExpression(node) || node.expression.getText() !== 'ApiError') return undefined;
  const [code, text] = node.arguments ?? [];
  return code !== undefined && text !== undefined && hasWords(text) ? code.getText() : undefined;
}
function hasWords(text: ts.Expression): boolean {
  if (ts.isStringLiteralLike(text)) return /[a-z]{3}/i.test(text.text);
  if (ts.isTemplateExpression(text))
    return [text.head, ...text.templateSpans.map(({ literal }) => literal)].some((part) => /[a-z]{3}/i.test(part.text));
  if (ts.isBinaryExpression(text)) return hasWords(text.left) || hasWords(text.right);
  if (ts.isConditionalExpression(text)) return hasWords(text.whenTrue) || hasWords(text.whenFalse);
  return false;
}

function isDefaultExport(node: ts.Node): boolean {
  if (ts.isExportAssignment(node)) return true;
  if (ts.isExportSpecifier(node)) return node.name.text === 'default';
  return (
    ts.canHaveModifiers(node) && (ts.getModifiers(node) ?? []).some((one) => one.kind === ts.SyntaxKind.DefaultKeyword)
  );
}

function isClockRead(node: ts.Node): boolean {
  if (ts.isNewExpression(node) && ts.isIdentifier(node.expression)) {
    return node.expression.text === 'Date' && (node.arguments ?? []).length === 0;
  }
  return (
    ts.isPropertyAccessExpression(node) &&
    ts.isIdentifier(node.expression) &&
    (node.expression.text === 'Date' || node.expression.text === 'performance') &&
    node.name.text === 'now'
  );
}
