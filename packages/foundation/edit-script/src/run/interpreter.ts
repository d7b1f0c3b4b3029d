import { type Position, ScriptRunError, ScriptStopError, shortened } from '../syntax/script-error.js';
import type { Node, ScriptTree } from '../syntax/tree.js';
import type { Budget } from '../values/budget.js';
import { applyOperator, checkedName, checkedSize, joinTexts, negate } from '../values/operators.js';
import { FunctionValue, Range, Scope, type Value } from '../values/value.js';
import { areEqual, copyOf, toText, typeName } from '../values/values.js';
import { Calls } from './calls.js';
import type { Evaluation } from './evaluation.js';
import { References } from './references.js';
import { BreakSignal, ContinueSignal, located, ReturnSignal, ThrownValue } from './signals.js';

/** Nested nodes in evaluation, including those of nested calls: some 600 bytes of stack each, of 984 KiB. */
const EVALUATION_DEPTH_MAX = 900;
/** The cost of creating, throwing and catching an error. */
const CAUGHT_ERROR_OPERATIONS = 100;

/** Runs one script once. It has access only to its scope: no files, no clock, no JavaScript. */
export class Interpreter implements Evaluation {
  readonly tree: ScriptTree;
  readonly budget: Budget;
  callDepth = 0;
  depth = 0;
  private readonly references: References;
  private readonly calls: Calls;

  constructor(tree: ScriptTree, budget: Budget) {
    this.tree = tree;
    this.budget = budget;
    this.references = new References(this, (name, args) => this.calls.callBuiltin(name, args));
    this.calls = new Calls(this, this.references);
  }

  /** Runs the script; throws ScriptRunError when it fails or exceeds its budget. */
  run(scope: Scope): void {
    try {
      this.evaluate(this.tree.body, scope);
    } catch (error) {
      if (error instanceof ReturnSignal) return;
      if (error instanceof BreakSignal || error instanceof ContinueSignal)
        throw new ScriptRunError('`break` and `continue` belong into a loop');
      // the stack of the runtime, and the length of its strings
      if (error instanceof RangeError) throw new ScriptRunError('The script asks for more than it may have');
      throw error;
    }
  }

  copied(value: Value): Value {
    return copyOf(value, this.budget);
  }

  evaluate(node: Node, scope: Scope): Value {
    this.enter(node);
    const value = this.valueOf(node, scope);
    this.depth -= 1;
    return value;
  }

  /** Goes one level deeper. After a thrown error, the code that catches it restores the depth. */
  enter(node: Node): void {
    this.budget.spend();
    if (this.depth >= EVALUATION_DEPTH_MAX) throw new ScriptRunError('Stack overflow', node.position);
    this.depth += 1;
  }

  private valueOf(node: Node, scope: Scope): Value {
    switch (node.kind) {
      case 'literal':
        return node.value;
      case 'template':
        return joinTexts(
          node.parts.map((part) => (typeof part === 'string' ? part : toText(this.evaluate(part, scope), this.budget))),
          this.budget,
        );
      case 'array':
        return checkedSize(node.items.map((item) => this.copied(this.evaluate(item, scope))));
      case 'map':
        return checkedSize(
          new Map(
            node.entries.map(([name, item]) => [checkedName(name), this.copied(this.evaluate(item, scope))] as const),
          ),
        );
      case 'variable':
        return scope.existing(node.name, node.position).value;
      case 'property':
      case 'index':
        return this.references.of(node, scope).read();
      case 'method':
        return this.calls.callMethod(node, scope);
      case 'call':
        return this.calls.call(node, scope);
      case 'closure':
        return new FunctionValue('anon$', node.params, node.body, scope);
      case 'unary':
        return located(node.position, () => negate(node.operator, this.evaluate(node.operand, scope)));
      case 'binary': {
        const left = this.evaluate(node.left, scope);
        const right = this.evaluate(node.right, scope);
        return located(node.position, () => applyOperator(node.operator, left, right, this.budget));
      }
      case 'logic':
        return this.logic(node, scope);
      case 'assign':
        return this.assign(node, scope);
      default:
        return this.execute(node, scope);
    }
  }

  private execute(node: Node, scope: Scope): Value {
    switch (node.kind) {
      case 'let':
        scope.declare(
          node.name,
          node.value === null ? null : this.copied(this.evaluate(node.value, scope)),
          node.isConstant,
        );
        return null;
      case 'block':
        return this.block(node, scope);
      case 'if':
        if (this.isTrue(node.condition, scope)) return this.evaluate(node.then, scope);
        return node.otherwise === null ? null : this.evaluate(node.otherwise, scope);
      case 'loop':
        return this.loop(node, scope);
      case 'for':
        return this.forEach(node, scope);
      case 'switch':
        return this.choose(node, scope);
      case 'break':
        throw new BreakSignal(node.value === null ? null : this.evaluate(node.value, scope));
      case 'continue':
        throw new ContinueSignal();
      case 'return':
        throw new ReturnSignal(node.value === null ? null : this.evaluate(node.value, scope));
      case 'throw':
        throw this.thrown(this.evaluate(node.value, scope), node.position);
      case 'try':
        return this.attempt(node, scope);
      default:
        throw new Error(`unknown node ${node.kind}`);
    }
  }

  private thrown(value: Value, position: Position): ThrownValue {
    return new ThrownValue(value, shortened(toText(value, this.budget)), position);
  }

  private block(node: Extract<Node, { kind: 'block' }>, outer: Scope): Value {
    // the outermost block is the scope that the caller reads afterwards
    const scope = node === this.tree.body ? outer : new Scope(outer);
    let last: Value = null;
    for (const statement of node.statements) last = this.evaluate(statement, scope);
    return node.yieldsLast ? last : null;
  }

  private isTrue(node: Node, scope: Scope): boolean {
    const value = this.evaluate(node, scope);
    if (typeof value === 'boolean') return value;
    throw new ScriptRunError(`A condition must be a bool, but it is ${typeName(value)}`, node.position);
  }

  private logic(node: Extract<Node, { kind: 'logic' }>, scope: Scope): Value {
    if (node.operator === '??') {
      const left = this.evaluate(node.left, scope);
      return left === null ? this.evaluate(node.right, scope) : left;
    }
    const left = this.isTrue(node.left, scope);
    return left === (node.operator === '||') ? left : this.isTrue(node.right, scope);
  }

  private loop(node: Extract<Node, { kind: 'loop' }>, scope: Scope): Value {
    const { condition } = node;
    const goesOn = (): boolean => condition === null || this.isTrue(condition, scope);
    return this.repeat(() => {
      if (node.isChecked === 'before' && !goesOn()) return false;
      this.passBody(node.body, scope);
      return node.isChecked === 'before' || goesOn();
    });
  }

  private forEach(node: Extract<Node, { kind: 'for' }>, scope: Scope): Value {
    const items = itemsOf(this.evaluate(node.over, scope), node.position);
    let counter = 0n;
    return this.repeat(() => {
      const next = items.next();
      if (next.done === true) return false;
      const inside = new Scope(scope);
      inside.declare(node.name, this.copied(next.value), false);
      if (node.counter !== null) inside.declare(node.counter, counter, false);
      counter += 1n;
      this.passBody(node.body, inside);
      return true;
    });
  }

  /** Runs passes until one says that it was the last, or breaks. */
  private repeat(pass: () => boolean): Value {
    const { depth } = this;
    try {
      for (;;) {
        this.budget.spend();
        if (!pass()) return null;
      }
    } catch (error) {
      if (!(error instanceof BreakSignal)) throw error;
      this.depth = depth;
      return error.value;
    }
  }

  private passBody(body: Node, scope: Scope): void {
    const { depth } = this;
    try {
      this.evaluate(body, scope);
    } catch (error) {
      if (!(error instanceof ContinueSignal)) throw error;
      this.depth = depth;
    }
  }

  private choose(node: Extract<Node, { kind: 'switch' }>, scope: Scope): Value {
    const value = this.evaluate(node.value, scope);
    const matches = (pattern: Node): boolean => {
      const wanted = this.evaluate(pattern, scope);
      if (wanted instanceof Range)
        return typeof value === 'bigint' && applyOperator('in', value, wanted, this.budget) === true;
      return areEqual(value, wanted, this.budget);
    };
    const found = node.cases.find(
      ({ patterns, guard }) =>
        (patterns === null || patterns.some(matches)) && (guard === null || this.isTrue(guard, scope)),
    );
    return found === undefined ? null : this.evaluate(found.body, scope);
  }

  private attempt(node: Extract<Node, { kind: 'try' }>, scope: Scope): Value {
    const { depth, callDepth } = this;
    try {
      return this.evaluate(node.body, scope);
    } catch (error) {
      if (!(error instanceof ScriptRunError) || error instanceof ScriptStopError) throw error;
      this.depth = depth;
      this.callDepth = callDepth;
      this.budget.spend(CAUGHT_ERROR_OPERATIONS);
      const inside = new Scope(scope);
      const thrown = error instanceof ThrownValue ? error.value : error.message;
      if (node.name !== null) inside.declare(node.name, thrown, false);
      return this.evaluate(node.handler, inside);
    }
  }

  private assign(node: Extract<Node, { kind: 'assign' }>, scope: Scope): Value {
    const value = this.copied(this.evaluate(node.value, scope));
    const reference = this.references.of(node.target, scope);
    if (node.operator === '') reference.write(value);
    else if (node.operator === '??') {
      if (reference.read() === null) reference.write(value);
    } else
      reference.write(located(node.position, () => applyOperator(node.operator, reference.read(), value, this.budget)));
    return null;
  }
}

/** The values that `for` goes through. */
function* itemsOf(value: Value, position: Position): Generator<Value> {
  if (Array.isArray(value)) yield* [...value];
  else if (typeof value === 'string') yield* value;
  else if (value instanceof Map)
    for (const [key, member] of [...value])
      yield new Map([
        ['key', key],
        ['value', member],
      ]);
  else if (value instanceof Range && value.to !== null) for (let at = value.from; at < value.to; at++) yield at;
  else throw new ScriptRunError(`A ${typeName(value)} cannot be gone through by \`for\``, position);
}
