import { checkChain, ExpressionParser, Nesting } from './parse-expression.js';
import { ScriptSyntaxError } from './script-error.js';
import { readTokens, type Token } from './tokens.js';
import type { FunctionTree, Node, ScriptTree, SwitchCase } from './tree.js';

const FUNCTION_COUNT_MAX = 30;

/** Parses a script. Throws ScriptSyntaxError with the position. O(length) */
export function parseScript(source: string): ScriptTree {
  const functions = new Map<string, FunctionTree>();
  return { body: new ScriptParser(readTokens(source), functions, new Nesting()).script(), functions };
}

/** Parses the statements of the language; ExpressionParser parses the expressions in them. */
class ScriptParser {
  private readonly functions: Map<string, FunctionTree>;
  private readonly nesting: Nesting;
  private readonly cursor: ExpressionParser;

  constructor(tokens: readonly Token[], functions: Map<string, FunctionTree>, nesting: Nesting) {
    this.functions = functions;
    this.nesting = nesting;
    const statements = {
      block: () => this.block(),
      construct: (keyword: string) => this.construct(keyword),
      inner: (inside: readonly Token[]) => new ScriptParser(inside, functions, nesting).script(),
    };
    this.cursor = new ExpressionParser(tokens, statements, nesting);
  }

  script(): Node {
    const { position } = this.cursor;
    return { kind: 'block', ...this.statements('end'), position };
  }

  private block(): Node {
    const { position } = this.cursor;
    this.nesting.enter(position);
    this.cursor.expect('{');
    const inside = this.statements('}');
    this.nesting.leave();
    this.cursor.expect('}');
    return { kind: 'block', ...inside, position };
  }

  private statements(end: 'end' | '}'): { statements: Node[]; yieldsLast: boolean } {
    const { cursor } = this;
    const statements: Node[] = [];
    let yieldsLast = false;
    const isAtEnd = (): boolean => (end === 'end' ? cursor.token.kind === 'end' : cursor.is('}'));
    while (!isAtEnd()) {
      if (cursor.skip(';')) {
        yieldsLast = false;
        continue;
      }
      if (cursor.is('fn') || cursor.is('private')) {
        cursor.skip('private');
        this.readFunction();
        continue;
      }
      const isBraced = ['{', 'if', 'while', 'loop', 'for', 'switch', 'try', 'do'].some((start) => cursor.is(start));
      const node = cursor.expression();
      statements.push(node);
      yieldsLast = !cursor.is(';');
      if (yieldsLast && !isBraced && !isAtEnd()) throw cursor.unexpected('`;` to terminate this statement');
    }
    return { statements, yieldsLast };
  }

  private readFunction(): void {
    const { cursor } = this;
    const { position } = cursor;
    cursor.expect('fn');
    const name = cursor.name();
    const params: string[] = [];
    cursor.expect('(');
    while (!cursor.skip(')')) {
      params.push(cursor.name());
      if (!cursor.is(')')) cursor.expect(',');
    }
    this.functions.set(`${name}/${params.length}`, { params, body: this.block() });
    if (this.functions.size > FUNCTION_COUNT_MAX)
      throw new ScriptSyntaxError(`A script has at most ${FUNCTION_COUNT_MAX} functions`, position);
  }

  private construct(keyword: string): Node | undefined {
    const { cursor } = this;
    const { position } = cursor;
    switch (keyword) {
      case 'let':
      case 'const': {
        cursor.expect(keyword);
        const name = cursor.name();
        const value = cursor.skip('=') ? cursor.expression() : null;
        return { kind: 'let', name, value, isConstant: keyword === 'const', position };
      }
      case 'if':
        return this.readIf();
      case 'while':
        cursor.expect('while');
        return { kind: 'loop', condition: cursor.expression(), body: this.block(), isChecked: 'before', position };
      case 'loop':
        cursor.expect('loop');
        return { kind: 'loop', condition: null, body: this.block(), isChecked: 'before', position };
      case 'do':
        return this.readDo();
      case 'for':
        return this.readFor();
      case 'switch':
        return this.readSwitch();
      case 'try':
        return this.readTry();
      case 'continue':
        cursor.expect('continue');
        return { kind: 'continue', position };
      case 'break':
      case 'return':
        cursor.expect(keyword);
        return { kind: keyword, value: this.isEndOfStatement() ? null : cursor.expression(), position };
      case 'throw':
        cursor.expect('throw');
        return {
          kind: 'throw',
          value: this.isEndOfStatement() ? { kind: 'literal', value: null, position } : cursor.expression(),
          position,
        };
      default:
        return undefined;
    }
  }

  private isEndOfStatement(): boolean {
    return this.cursor.is(';') || this.cursor.is('}') || this.cursor.token.kind === 'end';
  }

  private readIf(links = 0): Node {
    const { cursor } = this;
    checkChain(links, cursor.position);
    const { position } = cursor;
    cursor.expect('if');
    const condition = cursor.expression();
    const then = this.block();
    if (!cursor.skip('else')) return { kind: 'if', condition, then, otherwise: null, position };
    return {
      kind: 'if',
      condition,
      then,
      otherwise: cursor.is('if') ? this.readIf(links + 1) : this.block(),
      position,
    };
  }

  private readDo(): Node {
    const { cursor } = this;
    const { position } = cursor;
    cursor.expect('do');
    const body = this.block();
    const isUntil = cursor.skip('until');
    if (!isUntil) cursor.expect('while');
    const wanted = cursor.expression();
    const condition: Node = isUntil ? { kind: 'unary', operator: '!', operand: wanted, position } : wanted;
    return { kind: 'loop', condition, body, isChecked: 'after', position };
  }

  private readFor(): Node {
    const { cursor } = this;
    const { position } = cursor;
    cursor.expect('for');
    const isPair = cursor.skip('(');
    const name = cursor.name();
    let counter: string | null = null;
    if (isPair) {
      cursor.expect(',');
      counter = cursor.name();
      cursor.expect(')');
    }
    cursor.expect('in');
    return { kind: 'for', name, counter, over: cursor.expression(), body: this.block(), position };
  }

  private readSwitch(): Node {
    const { cursor } = this;
    const { position } = cursor;
    cursor.expect('switch');
    const value = cursor.expression();
    const cases: SwitchCase[] = [];
    cursor.expect('{');
    while (!cursor.skip('}')) {
      // alternatives are parsed as one expression of `|`, and separated again
      const pattern = cursor.expression();
      const isDefault = pattern.kind === 'variable' && pattern.name === '_';
      const guard = cursor.skip('if') ? cursor.expression() : null;
      cursor.expect('=>');
      const isBlock = cursor.is('{');
      cases.push({ patterns: isDefault ? null : alternatives(pattern), guard, body: cursor.expression() });
      if (!cursor.skip(',') && !isBlock && !cursor.is('}')) throw cursor.unexpected('`,`');
    }
    return { kind: 'switch', value, cases, position };
  }

  private readTry(): Node {
    const { cursor } = this;
    const { position } = cursor;
    cursor.expect('try');
    const body = this.block();
    cursor.expect('catch');
    let name: string | null = null;
    if (cursor.skip('(')) {
      name = cursor.name();
      cursor.expect(')');
    }
    return { kind: 'try', body, name, handler: this.block(), position };
  }
}

function alternatives(pattern: Node): Node[] {
  if (pattern.kind !== 'binary' || pattern.operator !== '|') return [pattern];
  return [...alternatives(pattern.left), ...alternatives(pattern.right)];
}
