import { LIST_METHODS } from '../methods/list-methods.js';
import { MAP_METHODS } from '../methods/map-methods.js';
import type { Builtin, Caller, Outcome } from '../methods/methods.js';
import { NUMBER_METHODS } from '../methods/number-methods.js';
import { TEXT_METHODS } from '../methods/text-methods.js';
import { ScriptRunError } from '../syntax/script-error.js';
import type { Node } from '../syntax/tree.js';
import type { Budget } from '../values/budget.js';
import { FunctionValue, Scope, type Value } from '../values/value.js';
import { typeName } from '../values/values.js';
import type { Evaluation } from './evaluation.js';
import type { Reference, References } from './references.js';
import { located, ReturnSignal } from './signals.js';

/** Nested calls; the reference allows more, and the stack of this runtime fewer. */
const CALL_DEPTH_MAX = 100;
/** Entries of arrays and maps that cost as much as a step. */
const ENTRIES_PER_OPERATION = 4;
const BUILTINS: readonly ReadonlyMap<string, Builtin>[] = [TEXT_METHODS, LIST_METHODS, MAP_METHODS, NUMBER_METHODS];

/** Calls of functions: of the script, and of those that it is given. */
export class Calls implements Caller {
  private readonly evaluation: Evaluation;
  private readonly references: References;
  readonly budget: Budget;

  constructor(evaluation: Evaluation, references: References) {
    this.evaluation = evaluation;
    this.references = references;
    this.budget = evaluation.budget;
  }

  invoke(fn: FunctionValue, args: readonly Value[], self?: Value): Value {
    const { evaluation } = this;
    const known = fn.body === null ? evaluation.tree.functions.get(`${fn.name}/${args.length}`) : undefined;
    const body = fn.body ?? known?.body;
    const params = fn.params ?? known?.params;
    if (body === undefined || params === undefined) return this.callBuiltin(fn.name, args).value;
    if (params.length !== args.length)
      throw new ScriptRunError(`A function of ${params.length} parameters got ${args.length}`);
    if (evaluation.callDepth >= CALL_DEPTH_MAX) throw new ScriptRunError('Stack overflow');
    const { depth } = evaluation;
    evaluation.callDepth += 1;
    const scope = new Scope(fn.scope);
    params.forEach((name, at) => {
      scope.declare(name, evaluation.copied(args[at]!), false);
    });
    if (self !== undefined) scope.declare('this', self, false);
    try {
      return evaluation.evaluate(body, scope);
    } catch (error) {
      if (error instanceof ReturnSignal) return error.value;
      throw error;
    } finally {
      evaluation.depth = depth;
      evaluation.callDepth -= 1;
    }
  }

  call(node: Extract<Node, { kind: 'call' }>, scope: Scope): Value {
    const args = node.args.map((arg) => this.evaluation.evaluate(arg, scope));
    const variable = scope.find(node.name)?.value;
    if (variable instanceof FunctionValue) return this.invoke(variable, args);
    if (this.evaluation.tree.functions.has(`${node.name}/${args.length}`))
      return this.invoke(new FunctionValue(node.name, null, null, null), args);
    if (node.name === 'eval') throw new ScriptRunError('`eval` is not available in this server', node.position);
    return located(node.position, () => this.callBuiltin(node.name, args).value);
  }

  callMethod(node: Extract<Node, { kind: 'method' }>, scope: Scope): Value {
    const reference = this.references.of(node.target, scope);
    const self = reference.read();
    if (self === null && node.isOptional) return null;
    const args = node.args.map((arg) => this.evaluation.evaluate(arg, scope));
    if (self instanceof FunctionValue && node.name === 'call') return this.invoke(self, args);
    const own = this.evaluation.tree.functions.get(`${node.name}/${args.length}`);
    if (own !== undefined) return this.callOwn(node.name, reference, args);
    const member = self instanceof Map ? self.get(node.name) : undefined;
    if (member instanceof FunctionValue) return this.invoke(member, args, self);
    const outcome = located(node.position, () => this.callBuiltin(node.name, [self, ...args]));
    if (outcome.self !== undefined) reference.write(this.evaluation.copied(outcome.self));
    return outcome.value;
  }

  /** A function of the script called as a method has its receiver as `this`, and may change it. */
  private callOwn(name: string, reference: Reference, args: readonly Value[]): Value {
    const { params, body } = this.evaluation.tree.functions.get(`${name}/${args.length}`)!;
    const scope = new Scope();
    scope.declare('this', reference.read(), false);
    const before = reference.read();
    const result = this.invoke(new FunctionValue(name, params, body, scope), args);
    const after = scope.find('this')!.value;
    if (after !== before) reference.write(after);
    return result;
  }

  callBuiltin(name: string, args: readonly Value[]): Outcome {
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
