import type { Position } from './script-error.js';

/** The nodes of a script. Every construct is an expression; those without a value yield `()`. */
export type Node = { readonly position: Position } & (
  | { readonly kind: 'literal'; readonly value: null | boolean | bigint | number | string }
  | { readonly kind: 'template'; readonly parts: readonly (string | Node)[] }
  | { readonly kind: 'array'; readonly items: readonly Node[] }
  | { readonly kind: 'map'; readonly entries: readonly (readonly [string, Node])[] }
  | { readonly kind: 'variable'; readonly name: string }
  | { readonly kind: 'property'; readonly target: Node; readonly name: string; readonly isOptional: boolean }
  | { readonly kind: 'index'; readonly target: Node; readonly index: Node; readonly isOptional: boolean }
  | {
      readonly kind: 'method';
      readonly target: Node;
      readonly name: string;
      readonly args: readonly Node[];
      readonly isOptional: boolean;
    }
  | { readonly kind: 'call'; readonly name: string; readonly args: readonly Node[] }
  | { readonly kind: 'closure'; readonly params: readonly string[]; readonly body: Node }
  | { readonly kind: 'unary'; readonly operator: string; readonly operand: Node }
  | { readonly kind: 'binary'; readonly operator: string; readonly left: Node; readonly right: Node }
  | { readonly kind: 'logic'; readonly operator: '&&' | '||' | '??'; readonly left: Node; readonly right: Node }
  | { readonly kind: 'assign'; readonly operator: string; readonly target: Node; readonly value: Node }
  | { readonly kind: 'let'; readonly name: string; readonly value: Node | null; readonly isConstant: boolean }
  | { readonly kind: 'block'; readonly statements: readonly Node[]; readonly yieldsLast: boolean }
  | { readonly kind: 'if'; readonly condition: Node; readonly then: Node; readonly otherwise: Node | null }
  /** `loop`, `while` and `do`: the condition is checked before or after the body; null: no condition. */
  | {
      readonly kind: 'loop';
      readonly condition: Node | null;
      readonly body: Node;
      readonly isChecked: 'before' | 'after';
    }
  | {
      readonly kind: 'for';
      readonly name: string;
      readonly counter: string | null;
      readonly over: Node;
      readonly body: Node;
    }
  | { readonly kind: 'switch'; readonly value: Node; readonly cases: readonly SwitchCase[] }
  | { readonly kind: 'break' | 'return'; readonly value: Node | null }
  | { readonly kind: 'continue' }
  | { readonly kind: 'throw'; readonly value: Node }
  | { readonly kind: 'try'; readonly body: Node; readonly name: string | null; readonly handler: Node }
);

export interface SwitchCase {
  /** Null is `_`, which matches everything. */
  readonly patterns: readonly Node[] | null;
  readonly guard: Node | null;
  readonly body: Node;
}

export interface FunctionTree {
  readonly params: readonly string[];
  readonly body: Node;
}
export interface ScriptTree {
  readonly body: Node;
  /** By name and number of parameters, `name/count`. */
  readonly functions: ReadonlyMap<string, FunctionTree>;
}
