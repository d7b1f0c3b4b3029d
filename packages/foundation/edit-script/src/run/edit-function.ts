import { type ApiError, apiError, fromMembers, memberNames, own } from '@fossick/base';
import { parseScript } from '../syntax/parse-script.js';
import { ScriptRunError, ScriptSyntaxError, shortened } from '../syntax/script-error.js';
import type { ScriptTree } from '../syntax/tree.js';
import { Budget } from '../values/budget.js';
import { Scope } from '../values/value.js';
import { copyOf, DocumentSize, fromJson, toJson } from '../values/values.js';
import { Interpreter } from './interpreter.js';

/** Characters of a script: far more than people write. */
const SCRIPT_CHARS_MAX = 1 << 20;

/** The result of a function: the new document, or null to delete it. */
export type EditFunction = (document: Readonly<Record<string, unknown>>) => Record<string, unknown> | null;

/** Throws ApiError bad_request when the text is no script of the language. */
export function checkEditFunction(source: string): void {
  parse(source);
}

/**
 * Compiles a script to an edit function; `context` is visible to the script under this name. Calls throw ApiError
 * edit_documents_by_function_error when the script fails, exceeds its budget, or leaves no object in `doc`. `pulse` is
 * called about every millisecond meanwhile; an error that it throws ends the call.
 */
export function compileEditFunction(
  source: string,
  context: unknown,
  pulse: () => void = () => undefined,
): EditFunction {
  const tree = parse(source);
  const constant = fromJson(context);
  return (document) => {
    try {
      const scope = new Scope();
      scope.declare('doc', fromJson(document), false);
      scope.declare(
        'context',
        // the copy is not charged: the script did not request it
        copyOf(constant, new Budget()),
        true,
      );
      new Interpreter(tree, new Budget(pulse)).run(scope);
      const edited = scope.find('doc')!.value;
      if (edited === null) return null;
      if (!(edited instanceof Map)) throw new ScriptRunError('`doc` has to stay an object, or become `()`');
      return inDocumentOrder(document, toJson(edited, new DocumentSize()) as Record<string, unknown>);
    } catch (error) {
      if (error instanceof ScriptRunError) throw runError(error.message);
      throw error;
    }
  };
}

/** Existing fields keep their order; new ones follow by name. */
function inDocumentOrder(
  before: Readonly<Record<string, unknown>>,
  after: Record<string, unknown>,
): Record<string, unknown> {
  const added = Object.keys(after).filter((name) => !Object.hasOwn(before, name));
  const kept = memberNames(before).filter((name) => Object.hasOwn(after, name));
  return fromMembers([...kept, ...added.sort()].map((name) => [name, own(after, name)]));
}

function parse(source: string): ScriptTree {
  try {
    if (source.length > SCRIPT_CHARS_MAX)
      throw new ScriptSyntaxError(`A script has at most ${SCRIPT_CHARS_MAX} characters`);
    return parseScript(source);
  } catch (error) {
    if (error instanceof ScriptSyntaxError) throw apiError('bad_request', 'notScript', shortened(error.message));
    throw error;
  }
}

function runError(message: string): ApiError {
  return apiError('edit_documents_by_function_error', 'failed', shortened(message));
}
