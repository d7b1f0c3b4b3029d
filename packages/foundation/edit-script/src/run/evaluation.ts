import type { Node, ScriptTree } from '../syntax/tree.js';
import type { Budget } from '../values/budget.js';
import type { Scope, Value } from '../values/value.js';

/** The evaluation of one run of a script, as its parts see it. */
export interface Evaluation {
  readonly tree: ScriptTree;
  readonly budget: Budget;
  /** Nested calls, and nested nodes in evaluation. After a thrown error, the code that catches it restores them. */
  callDepth: number;
  depth: number;
  evaluate(node: Node, scope: Scope): Value;
  /** Goes one level deeper. @throws ScriptRunError when that is too deep */
  enter(node: Node): void;
  copied(value: Value): Value;
}
