import { LIST_METHODS } from '../methods/list-methods.js';
import { MAP_METHODS } from '../methods/map-methods.js';
import { type Builtin, type Caller, GETTERS, type Outcome } from '../methods/methods.js';
import { NUMBER_METHODS } from '../methods/number-methods.js';
import { TEXT_METHODS } from '../methods/text-methods.js';
import { type Position, ScriptRunError, ScriptStopError, shortened } from '../syntax/script-error.js';
import type { Node, ScriptTree } from '../syntax/tree.js';
import type { Budget } from '../values/budget.js';
import { applyOperator, checkedName, checkedSize, joinTexts, negate } from '../values/operators.js';
import { FunctionValue, Range, Scope, type Value } from '../values/value.js';
import { areEqual, copyOf, toText, typeName } from '../values/values.js';
import { item, type Reference, variableReference, withItem } from './references.js';
import { BreakSignal, ContinueSignal, located, ReturnSignal, ThrownValue } from './signals.js';

/** Nested calls; the reference allows more, and the stack of this runtime fewer. */
const CALL_DEPTH_MAX = 100;
/** Nested nodes in evaluation, including those of nested calls: some 600 bytes of stack each, of 984 KiB. */
const EVALUATION_DEPTH_MAX = 900;
/** The cost of creating, throwing and catching an error. */
const CAUGHT_ERROR_OPERATIONS = 100;
/** Entries of arrays and maps that cost as much as a step. */
const ENTRIES_PER_OPERATION = 4;
const BUILTINS: readonly ReadonlyMap<string, Builtin>[] = [TEXT_METHODS, LIST_METHODS, MAP_METHODS, NUMBER_METHODS];

/** Runs one script once. It has access only to its scope: no files, no clock, no JavaScript. */
export class Interpreter implements Caller {
  private readonly tree: ScriptTree;
  readonly budget: Budget;
  private callDepth = 0;
  private depth = 0;

  constructor(tree: ScriptTree, budget: Budget) {
    this.tree = tree;
    this.budget = budget;
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

  invoke(fn: FunctionValue, args: readonly Value[], self?: Value): Value {
    const known = fn.body === null ? this.tree.functions.get(`${fn.name}/${args.length}`) : undefined;
    const body = fn.body ?? known?.body;
    const params = fn.params ?? known?.params;
    if (body === undefined || params === undefined) return this.callBuiltin(fn.name, args).value;
    if (params.length !== args.length)
      throw new ScriptRunError(`A function of ${params.length} parameters got ${args.length}`);
    if (this.callDepth >= CALL_DEPTH_MAX) throw new ScriptRunError('Stack overflow');
    const { depth } = this;
    this.callDepth += 1;
    const scope = new Scope(fn.scope);
    params.forEach((name, at) => {
      scope.declare(name, this.copied(args[at]!), false);
    });
    if (self !== undefined) scope.declare('this', self, false);
    try {
      return this.evaluate(body, scope);
    } catch (error) {
      if (error instanceof ReturnSignal) return error.value;
      throw error;
    } finally {
      this.depth = depth;
      this.callDepth -= 1;
    }
  }

  private copied(value: Value): Value {
    return copyOf(value, this.budget);
  }

  private evaluate(node: Node, scope: Scope): Value {
    this.enter(node);
    const value = this.valueOf(node, scope);
    this.depth -= 1;
    return value;
  }

  /** Goes one level deeper. After a thrown error, the code that catches it restores the depth. */
  private enter(node: Node): void {
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
        return this.reference(node, scope).read();
      case 'method':
        return this.callMethod(node, scope);
      case 'call':
        return this.call(node, scope);
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
    const items = this.itemsOf(this.evaluate(node.over, scope), node.position);
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

  private *itemsOf(value: Value, position: Position): Generator<Value> {
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
    const reference = this.reference(node.target, scope);
    if (node.operator === '') reference.write(value);
    else if (node.operator === '??') {
      if (reference.read() === null) reference.write(value);
    } else
      reference.write(located(node.position, () => applyOperator(node.operator, reference.read(), value, this.budget)));
    return null;
  }

  /** The reference of an assignment target. Anything but variables, properties and items can only be read. */
  private reference(node: Node, scope: Scope): Reference {
    if (node.kind === 'variable')
      return variableReference(scope.existing(node.name, node.position), node.name, node.position);
    if (node.kind !== 'property' && node.kind !== 'index') {
      const value = this.evaluate(node, scope);
      return { read: () => value, write: () => undefined, check: () => undefined };
    }
    const outer = this.referenceWithin(node.target, scope);
    const target = outer.read();
    if (target === null && node.isOptional) return { ...outer, read: () => null, write: () => undefined };
    const key = node.kind === 'property' ? node.name : this.evaluate(node.index, scope);
    const { position } = node;
    return {
      read: () =>
        node.kind === 'property'
          ? this.property(target, node.name, position)
          : item(target, key, position, this.budget),
      check: outer.check,
      write: (value) => {
        outer.check();
        outer.write(withItem(target, key, value, position));
      },
    };
  }

  private referenceWithin(node: Node, scope: Scope): Reference {
    this.enter(node);
    const reference = this.reference(node, scope);
    this.depth -= 1;
    return reference;
  }

  private property(target: Value, name: string, position: Position): Value {
    if (target instanceof Map) return target.get(name) ?? null;
    if (GETTERS.has(name)) return located(position, () => this.callBuiltin(name, [target]).value);
    throw new ScriptRunError(`Unknown property '${name}' of ${typeName(target)}`, position);
  }

  private call(node: Extract<Node, { kind: 'call' }>, scope: Scope): Value {
    const args = node.args.map((arg) => this.evaluate(arg, scope));
    const variable = scope.find(node.name)?.value;
    if (variable instanceof FunctionValue) return this.invoke(variable, args);
    if (this.tree.functions.has(`${node.name}/${args.length}`))
      return this.invoke(new FunctionValue(node.name, null, null, null), args);
    if (node.name === 'eval') throw new ScriptRunError('`eval` is not available in this server', node.position);
    return located(node.position, () => this.callBuiltin(node.name, args).value);
  }

  private callMethod(node: Extract<Node, { kind: 'method' }>, scope: Scope): Value {
    const reference = this.reference(node.target, scope);
    const self = reference.read();
    if (self === null && node.isOptional) return null;
    const args = node.args.map((arg) => this.evaluate(arg, scope));
    if (self instanceof FunctionValue && node.name === 'call') return this.invoke(self, args);
    const own = this.tree.functions.get(`${node.name}/${args.length}`);
    if (own !== undefined) return this.callOwn(node.name, reference, args);
    const member = self instanceof Map ? self.get(node.name) : undefined;
    if (member instanceof FunctionValue) return this.invoke(member, args, self);
    const outcome = located(node.position, () => this.callBuiltin(node.name, [self, ...args]));
    if (outcome.self !== undefined) reference.write(this.copied(outcome.self));
    return outcome.value;
  }

  /** A function of the script called as a method has its receiver as `this`, and may change it. */
  private callOwn(name: string, reference: Reference, args: readonly Value[]): Value {
    const { params, body } = this.tree.functions.get(`${name}/${args.length}`)!;
    const scope = new Scope();
    scope.declare('this', reference.read(), false);
    const before = reference.read();
    const result = this.invoke(new FunctionValue(name, params, body, scope), args);
    const after = scope.find('this')!.value;
    if (after !== before) reference.write(after);
    return result;
  }

  private callBuiltin(name: string, args: readonly Value[]): Outcome {
    const [self] = args;
    // most functions of arrays and maps copy them; those of strings charge for it themselves
    if (Array.isArray(self)) this.budget.spend(self.length / ENTRIES_PER_OPERATION);
    else if (self instanceof Map) this.budget.spend(self.size / ENTRIES_PER_OPERATION);
    if (Array.isArray(args[1])) this.budget.spend(args[1].length / ENTRIES_PER_OPERATION);
    else if (args[1] instanceof Map) this.budget.spend(args[1].size / ENTRIES_PER_OPERATION);
    for (const builtins of BUILTINS) {
      const outcome = builtins.get(name)?.(args, this);
      if (outcome !== undefined) return outcome;
    }
    throw new ScriptRunError(`Function not found: ${name} (${args.map(typeName).join(', ')})`);
  }
}
