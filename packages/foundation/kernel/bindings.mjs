// Turns the compiler's description of the kernel's exports into the type that the host calls them by: run `npm run bindings` after a change of exports.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The compiler's description of its exports, and the type made from it. */
const DESCRIBED = new URL('./build/kernel.fast.d.ts', import.meta.url);
export const BINDINGS = new URL('./src/kernel-exports.ts', import.meta.url);

/** The compiler's name for the address of an unmanaged object. */
const RECORD = /__\w+<\w+>/g;
/** A function of the description: its name, parameters and result. */
const FUNCTION = /^ {2}export function (\w+)\(([^)]*)\): ([\w<>]+);$/gm;
/** Lines are broken after this many characters, as the formatter does. */
const LINE_END = 120;

/**
 * An interface of all exports. WebAssembly has only numbers: a boolean result is 0 or 1, and a boolean argument may be either. Addresses are returned signed:
 * `>>> 0` makes them addresses.
 */
export function bindingsText() {
  const described = readFileSync(DESCRIBED, 'utf8');
  const lines = [...described.matchAll(FUNCTION)].map(([, name, parameters, result]) => {
    const given = parameters.replaceAll(': boolean', ': boolean | number').replaceAll(RECORD, 'number');
    const answered = result === 'boolean' ? 'number' : result.replace(RECORD, 'number');
    return propertyOf(name, given === '' ? [] : given.split(', '), answered);
  });
  if (lines.length === 0) throw new Error(`${DESCRIBED.pathname} describes no function`);
  return [
    '/** What the compiled kernel exports, made of what the compiler says of it: `npm run bindings` writes this file. */',
    'export interface KernelExports {',
    '  readonly memory: { readonly buffer: ArrayBuffer };',
    ...lines,
    '}',
    '',
  ].join('\n');
}

function propertyOf(name, parameters, result) {
  const line = `  readonly ${name}: (${parameters.join(', ')}) => ${result};`;
  if (line.length <= LINE_END) return line;
  return [`  readonly ${name}: (`, ...parameters.map((parameter) => `    ${parameter},`), `  ) => ${result};`].join(
    '\n',
  );
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(BINDINGS, bindingsText());
