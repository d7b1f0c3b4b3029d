import { readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import ts from 'typescript';
import { ALLOWED_IMPORTS } from './packages.js';

export const ROOT = join(import.meta.dirname, '../..');
const FOLDERS = new Map(Object.keys(ALLOWED_IMPORTS).map((folder) => [basename(folder), folder]));

/** Specifiers of what a module loads with itself: imports and re-exports of values. */
function loadedBy(file: string): string[] {
  const source = ts.createSourceFile(file, readFileSync(join(ROOT, file), 'utf8'), ts.ScriptTarget.Latest);
  return source.statements.flatMap((statement) => {
    if (!ts.isImportDeclaration(statement) && !ts.isExportDeclaration(statement)) return [];
    const { moduleSpecifier } = statement;
    if (moduleSpecifier === undefined || !ts.isStringLiteral(moduleSpecifier) || isOfTypes(statement)) return [];
    return [moduleSpecifier.text];
  });
}

/** With `verbatimModuleSyntax` a list of types alone would stay as an import without names, so there is none. */
function isOfTypes(statement: ts.ImportDeclaration | ts.ExportDeclaration): boolean {
  return ts.isImportDeclaration(statement) ? statement.importClause?.isTypeOnly === true : statement.isTypeOnly;
}

/** The file of a module of ours; undefined for others. */
function fileOf(specifier: string, from: string): string | undefined {
  const [, folder, entry = 'index'] = /^@fossick\/([^/]+)(?:\/(.+))?$/.exec(specifier) ?? [];
  if (folder !== undefined) return `${FOLDERS.get(folder)}/src/${entry}.ts`;
  return specifier.startsWith('.') ? join(dirname(from), specifier.replace(/\.js$/, '.ts')) : undefined;
}

/** What a program loads before it does anything: our files, and the names of libraries. */
export function loadedFrom(entry: string): Set<string> {
  const seen = new Set([entry]);
  for (const file of seen) {
    if (!file.endsWith('.ts')) continue;
    for (const specifier of loadedBy(file)) seen.add(fileOf(specifier, file) ?? specifier);
  }
  return seen;
}
