/**
 * Score expressions: numbers, durations, fields, `+ - * /`, brackets and functions.
 *
 *     sum     = product { ("+" | "-") product }
 *     product = unary { ("*" | "/") unary }
 *     unary   = "-" unary | primary
 *     primary = number | duration | "now" | field | function "(" sum { "," sum } ")" | "(" sum ")"
 */
import { MAX_SCORE_DEPTH, MAX_SCORE_FIELDS, MAX_SCORE_LENGTH, MAX_SCORE_NODES, own } from '@fossick/base';
import { contextLine, ScoreError, shortened } from '../tree.js';
import { SCORE_FUNCTIONS, type ScoreFunction, type ScoreFunctionName } from './score-functions.js';
import type { ScoreExpression, ScoreNode } from './score-tree.js';

const SPACE = /\s*/y;
const NUMBER = /(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?/y;
const WORD = /[\p{Alphabetic}_][\p{Alphabetic}\p{N}_.]*/uy;
const UNIT = /[\p{Alphabetic}_]+/uy;
/** Seconds of the units of durations. */
const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400, w: 604_800 };
/** Functions that fold more arguments than two from the left. */
const FOLDED: ReadonlySet<string> = new Set(['min', 'max', 'coalesce']);
const OPERATORS: ReadonlySet<string> = new Set(['+', '-', '*', '/', 'negative']);
const NAMES = [...Object.keys(SCORE_FUNCTIONS).filter((name) => !OPERATORS.has(name)), 'geoDistance'];

const call = (name: ScoreFunctionName, ...args: readonly ScoreNode[]): ScoreNode => ({ kind: 'call', name, args });

/** Parses a score expression. O(length) @throws ScoreError */
export function parseScore(text: string): ScoreExpression {
  if (text.length > MAX_SCORE_LENGTH)
    throw new ScoreError(`A score has up to ${MAX_SCORE_LENGTH} characters, but this one has ${text.length}.`);
  return new ScoreParser(text).parse();
}

class ScoreParser {
  private readonly text: string;
  private at = 0;
  private nodeCount = 0;
  private usesNow = false;
  private readonly fields = new Set<string>();

  constructor(text: string) {
    this.text = text;
  }

  parse(): ScoreExpression {
    const node = this.sum(1);
    if (!this.isAtEnd()) this.fail(`Found \`${this.rest()}\` where the score should end; an operator may be missing.`);
    if (this.fields.size > MAX_SCORE_FIELDS)
      throw new ScoreError(`A score reads up to ${MAX_SCORE_FIELDS} fields, but this one reads ${this.fields.size}.`);
    return { text: this.text.trim(), node, fields: [...this.fields], usesNow: this.usesNow };
  }

  private fail(message: string, start = this.at): never {
    throw new ScoreError(`${message}\n${contextLine(this.text, start, this.text.length)}`);
  }

  private rest(): string {
    return shortened(this.text.slice(this.at));
  }

  private isAtEnd(): boolean {
    this.take(SPACE);
    return this.at >= this.text.length;
  }

  /** The text that the pattern matches at the cursor, '' for none. */
  private take(pattern: RegExp): string {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text)?.[0] ?? '';
    this.at += found.length;
    return found;
  }

  private takeSymbol(...symbols: readonly string[]): string | undefined {
    this.take(SPACE);
    const symbol = this.text[this.at];
    if (symbol === undefined || !symbols.includes(symbol)) return undefined;
    this.at += 1;
    return symbol;
  }

  private count(depth: number): void {
    this.nodeCount += 1;
    if (this.nodeCount > MAX_SCORE_NODES)
      this.fail(`A score has up to ${MAX_SCORE_NODES} numbers, fields and functions.`);
    if (depth > MAX_SCORE_DEPTH) this.fail(`A score is nested up to ${MAX_SCORE_DEPTH} levels deep.`);
  }

  private sum(depth: number): ScoreNode {
    return this.row(depth, () => this.row(depth, () => this.unary(depth + 1), '*', '/'), '+', '-');
  }

  private row(depth: number, item: () => ScoreNode, ...operators: readonly ScoreFunctionName[]): ScoreNode {
    let node = item();
    for (let found = this.takeSymbol(...operators); found !== undefined; found = this.takeSymbol(...operators)) {
      this.count(depth);
      node = call(found as ScoreFunctionName, node, item());
    }
    return node;
  }

  private unary(depth: number): ScoreNode {
    this.count(depth);
    if (this.takeSymbol('-') === undefined) return this.primary(depth);
    return call('negative', this.unary(depth + 1));
  }

  private primary(depth: number): ScoreNode {
    if (this.isAtEnd()) this.fail('The score ended where a number, a field or a function belongs.');
    const start = this.at;
    if (this.takeSymbol('(') !== undefined) {
      const node = this.sum(depth + 1);
      if (this.takeSymbol(')') === undefined) this.fail('`)` is missing.', start);
      return node;
    }
    const quote = this.takeSymbol('"', "'", '`');
    if (quote !== undefined) return this.field(this.quoted(quote, start));
    const digits = this.take(NUMBER);
    if (digits !== '') return this.number(digits, start);
    const word = this.take(WORD);
    if (word === '') return this.fail(`Found \`${this.rest()}\` where a number, a field or a function belongs.`);
    if (this.takeSymbol('(') !== undefined) return this.function(word, start, depth);
    return word === 'now' ? this.now() : this.field(word);
  }

  private now(): ScoreNode {
    this.usesNow = true;
    return { kind: 'now' };
  }

  private field(name: string): ScoreNode {
    this.fields.add(name);
    return { kind: 'field', name };
  }

  /** The name up to the closing quote; a backslash keeps the character after it. */
  private quoted(quote: string, start: number): string {
    let name = '';
    for (;;) {
      const char = this.text[this.at++];
      if (char === undefined) return this.fail(`\`${quote}\` is missing at the end of a field name.`, start);
      if (char === quote) break;
      name += char === '\\' ? (this.text[this.at++] ?? '') : char;
    }
    return name === '' ? this.fail('A field name is empty.', start) : name;
  }

  private number(digits: string, start: number): ScoreNode {
    const unit = this.take(UNIT);
    const seconds = unit === '' ? 1 : own(UNITS, unit);
    if (seconds === undefined)
      return this.fail(`\`${digits}${unit}\` is no number: units of time are ${Object.keys(UNITS).join(', ')}.`, start);
    const value = Number(digits) * seconds;
    return Number.isFinite(value) ? { kind: 'number', value } : this.fail(`\`${digits}\` is too large.`, start);
  }

  private function(name: string, start: number, depth: number): ScoreNode {
    if (!NAMES.includes(name))
      this.fail(`There is no function \`${shortened(name)}\`; there are ${NAMES.join(', ')}.`, start);
    const args: ScoreNode[] = [];
    if (this.takeSymbol(')') === undefined) {
      do args.push(this.sum(depth + 1));
      while (this.takeSymbol(',') !== undefined);
      if (this.takeSymbol(')') === undefined) this.fail(`\`)\` is missing after \`${name}(\`.`, start);
    }
    return name === 'geoDistance' ? this.distance(args, start) : this.called(name as ScoreFunctionName, args, start);
  }

  private distance(args: readonly ScoreNode[], start: number): ScoreNode {
    const [lat, lng] = args.map(constantOf);
    const isPoint = args.length === 2 && lat != null && lng != null && Math.abs(lat) <= 90 && Math.abs(lng) <= 180;
    if (!isPoint)
      return this.fail('`geoDistance` takes a latitude from -90 to 90 and a longitude from -180 to 180.', start);
    this.fields.add('_geo');
    return { kind: 'geoDistance', lat, lng };
  }

  private called(name: ScoreFunctionName, args: readonly ScoreNode[], start: number): ScoreNode {
    const { least, most }: ScoreFunction = SCORE_FUNCTIONS[name];
    const isDecay = name === 'decay' || name === 'gauss';
    const wanted = isDecay ? '2 or 3' : FOLDED.has(name) ? '2 or more' : `${least}`;
    const isFit = isDecay ? args.length === 2 || args.length === 3 : args.length >= least;
    const [first, second] = args;
    if (first === undefined || !isFit || (args.length > most && !FOLDED.has(name)))
      return this.fail(`\`${name}\` takes ${wanted} arguments, but it has ${args.length}.`, start);
    if (FOLDED.has(name)) return args.slice(1).reduce((left, right) => call(name, left, right), first);
    if (!isDecay) return call(name, ...args);
    const scale = second === undefined ? null : constantOf(second);
    if (scale !== null && scale <= 0) this.fail(`The scale of \`${name}\` has to be above 0.`, start);
    return call(name, first, second!, args[2] ?? this.now());
  }
}

/** The value of a literal number, with a minus or without; null for anything else. */
function constantOf(node: ScoreNode): number | null {
  if (node.kind === 'number') return node.value;
  if (node.kind !== 'call' || node.name !== 'negative') return null;
  const inner = constantOf(node.args[0]!);
  return inner === null ? null : -inner;
}
