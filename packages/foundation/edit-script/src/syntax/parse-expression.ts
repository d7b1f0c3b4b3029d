import { own } from '@fossick/base';
import { type Position, ScriptSyntaxError } from './script-error.js';
import type { Token } from './tokens.js';
import type { Node } from './tree.js';

/** Deeper nesting of expressions and blocks is refused: the parser is recursive, several calls per level. */
const DEPTH_MAX = 150;
/** The most links of a chain like `a + b + c` or `a.b.c`, because evaluation is recursive over them. */
const CHAIN_MAX = 400;

/** The nesting depth, shared with the parsers of templates in the script. */
export class Nesting {
  private depth = 0;

  /** Throws ScriptSyntaxError when the script is nested too deeply here. */
  enter(position: Position): void {
    if (++this.depth > DEPTH_MAX) throw tooDeep(position);
  }
  leave(): void {
    this.depth -= 1;
  }
}

/** Throws ScriptSyntaxError when a chain has too many links. */
export function checkChain(linkCount: number, position: Position): void {
  if (linkCount > CHAIN_MAX) throw tooDeep(position);
}

function tooDeep(position: Position): ScriptSyntaxError {
  return new ScriptSyntaxError('The script is nested too deeply', position);
}

const PRECEDENCE: Readonly<Record<string, number>> = {
  ...{ '||': 30, '|': 30, '^': 30, '&&': 60, '&': 60, '==': 90, '!=': 90, in: 110, '!in': 110 },
  ...{ '>': 130, '>=': 130, '<': 130, '<=': 130, '??': 135, '..': 140, '..=': 140 },
  ...{ '+': 150, '-': 150, '*': 180, '/': 180, '%': 180, '**': 190, '<<': 210, '>>': 210 },
};
const ASSIGNMENTS = new Set(['=', '+=', '-=', '*=', '/=', '%=', '**=', '<<=', '>>=', '&=', '|=', '^=', '??=']);

/** The parser of statements, because expressions may contain blocks. */
export interface StatementParser {
  block(): Node;
  /** A construct that begins with the keyword, or undefined when there is none. */
  construct(keyword: string): Node | undefined;
  /** The inside of `${…}`. */
  inner(tokens: readonly Token[]): Node;
}

/** A cursor over tokens that reads expressions by precedence. */
export class ExpressionParser {
  private readonly tokens: readonly Token[];
  private readonly statements: StatementParser;
  private readonly nesting: Nesting;
  private at = 0;

  constructor(tokens: readonly Token[], statements: StatementParser, nesting: Nesting) {
    this.tokens = tokens;
    this.statements = statements;
    this.nesting = nesting;
  }

  get token(): Token {
    return this.tokens[this.at]!;
  }
  get position(): Position {
    return this.token.position;
  }

  is(text: string): boolean {
    return (this.token.kind === 'symbol' || this.token.kind === 'keyword') && this.token.text === text;
  }
  /** Takes the token when it is this symbol or keyword. */
  skip(text: string): boolean {
    if (!this.is(text)) return false;
    this.at += 1;
    return true;
  }
  expect(text: string): void {
    if (!this.skip(text)) throw this.unexpected(`\`${text}\``);
  }
  name(): string {
    const { token } = this;
    if (token.kind !== 'name') throw this.unexpected('a name');
    this.at += 1;
    return token.text;
  }
  unexpected(wanted: string): ScriptSyntaxError {
    const { token } = this;
    if (token.kind === 'end')
      return new ScriptSyntaxError(`Script is incomplete: ${wanted} is missing`, token.position);
    const found = 'text' in token ? token.text : token.kind;
    return new ScriptSyntaxError(`Expecting ${wanted}, but found \`${found}\``, token.position);
  }

  expression(): Node {
    const { position } = this;
    this.nesting.enter(position);
    const node = this.assignment(position);
    this.nesting.leave();
    return node;
  }

  private assignment(position: Position): Node {
    const target = this.binary(0);
    const { token } = this;
    if (token.kind !== 'symbol' || !ASSIGNMENTS.has(token.text)) return target;
    if (target.kind !== 'variable' && target.kind !== 'property' && target.kind !== 'index')
      throw new ScriptSyntaxError('Only variables, properties and items can be assigned to', position);
    this.at += 1;
    return { kind: 'assign', operator: token.text.slice(0, -1), target, value: this.expression(), position };
  }

  private binary(least: number): Node {
    let left = this.unary();
    for (let links = 0; ; links++) {
      const { token, position } = this;
      checkChain(links, position);
      const operator = token.kind === 'symbol' || token.kind === 'keyword' ? token.text : '';
      const precedence = Object.hasOwn(PRECEDENCE, operator) ? own(PRECEDENCE, operator)! : -1;
      if (precedence < least || precedence < 0) return left;
      this.at += 1;
      // a range may have no end
      const isOpen = operator.startsWith('..') && [')', ']', '}', ';', '=>', '{'].some((end) => this.is(end));
      if (isOpen) {
        left = { kind: 'binary', operator, left, right: { kind: 'literal', value: null, position }, position };
        continue;
      }
      this.nesting.enter(position);
      const right = this.binary(operator === '**' ? precedence : precedence + 1);
      this.nesting.leave();
      left =
        operator === '&&' || operator === '||' || operator === '??'
          ? { kind: 'logic', operator, left, right, position }
          : { kind: 'binary', operator, left, right, position };
    }
  }

  private unary(): Node {
    const { token, position } = this;
    this.nesting.enter(position);
    let node: Node;
    if (token.kind === 'symbol' && ['-', '+', '!'].includes(token.text)) {
      this.at += 1;
      node = { kind: 'unary', operator: token.text, operand: this.unary(), position };
    } else node = this.postfix(this.primary());
    this.nesting.leave();
    return node;
  }

  private postfix(start: Node): Node {
    let node = start;
    for (let links = 0; ; links++) {
      const { position } = this;
      checkChain(links, position);
      const isOptional = this.is('?.') || this.is('?[');
      if (this.skip('.') || this.skip('?.')) {
        const { token } = this;
        const name = token.kind === 'keyword' ? token.text : this.name();
        if (token.kind === 'keyword') this.at += 1;
        node = this.is('(')
          ? { kind: 'method', target: node, name, args: this.args(), isOptional, position }
          : { kind: 'property', target: node, name, isOptional, position };
      } else if (this.skip('[') || this.skip('?[')) {
        const index = this.expression();
        this.expect(']');
        node = { kind: 'index', target: node, index, isOptional, position };
      } else return node;
    }
  }

  private args(): Node[] {
    this.expect('(');
    return this.list(')');
  }

  private list(end: string): Node[] {
    const items: Node[] = [];
    while (!this.skip(end)) {
      items.push(this.expression());
      if (!this.is(end)) this.expect(',');
    }
    return items;
  }

  private primary(): Node {
    const { token, position } = this;
    switch (token.kind) {
      case 'int':
      case 'float':
        this.at += 1;
        return { kind: 'literal', value: token.value, position };
      case 'string':
        this.at += 1;
        return { kind: 'literal', value: token.text, position };
      case 'template':
        this.at += 1;
        return {
          kind: 'template',
          parts: token.parts.map((part) => (typeof part === 'string' ? part : this.statements.inner(part))),
          position,
        };
      case 'name':
        this.at += 1;
        return this.is('(')
          ? { kind: 'call', name: token.text, args: this.args(), position }
          : { kind: 'variable', name: token.text, position };
      case 'keyword':
        return this.keyword(token.text, position);
      case 'symbol':
        return this.symbol(token.text, position);
      default:
        throw this.unexpected('an expression');
    }
  }

  private keyword(text: string, position: Position): Node {
    if (text === 'true' || text === 'false') {
      this.at += 1;
      return { kind: 'literal', value: text === 'true', position };
    }
    if (text === 'this') {
      this.at += 1;
      return { kind: 'variable', name: 'this', position };
    }
    const node = this.statements.construct(text);
    if (node === undefined) throw new ScriptSyntaxError(`\`${text}\` cannot be used here`, position);
    return node;
  }

  private symbol(text: string, position: Position): Node {
    switch (text) {
      case '(': {
        this.at += 1;
        if (this.skip(')')) return { kind: 'literal', value: null, position };
        const inner = this.expression();
        this.expect(')');
        return inner;
      }
      case '[':
        this.at += 1;
        return { kind: 'array', items: this.list(']'), position };
      case '#{':
        this.at += 1;
        return { kind: 'map', entries: this.mapEntries(), position };
      case '{':
        return this.statements.block();
      case '|':
      case '||':
        return { kind: 'closure', params: this.closureParams(), body: this.expression(), position };
      default:
        throw this.unexpected('an expression');
    }
  }

  private mapEntries(): (readonly [string, Node])[] {
    const entries: (readonly [string, Node])[] = [];
    while (!this.skip('}')) {
      const { token } = this;
      const isKey = token.kind === 'name' || token.kind === 'string' || token.kind === 'keyword';
      if (!isKey) throw this.unexpected('the name of a property');
      this.at += 1;
      this.expect(':');
      entries.push([token.text, this.expression()]);
      if (!this.is('}')) this.expect(',');
    }
    return entries;
  }

  private closureParams(): string[] {
    if (this.skip('||')) return [];
    this.expect('|');
    const params: string[] = [];
    while (!this.skip('|')) {
      params.push(this.name());
      if (!this.is('|')) this.expect(',');
    }
    return params;
  }
}
