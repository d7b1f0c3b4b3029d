/**
 * Boolean queries: `OR`, brackets, quotes and `-`. A query is multiplied out into alternatives, each of them words and phrases that
 * must all match and others that must not. The end of the text is read as if typing had just stopped there: what is open is closed.
 */
import { type ApiError, apiError, MAX_EXCLUDED_WORDS, MAX_QUERY_ALTERNATIVES, MAX_QUERY_DEPTH } from '@fossick/base';

/** A word (or a run of characters without space), or a phrase without its quotes. */
interface Leaf {
  readonly kind: 'leaf';
  readonly text: string;
  readonly isPhrase: boolean;
  /** Whether the query ends with it. */
  readonly isAtEnd: boolean;
}
type Node =
  | Leaf
  | { readonly kind: 'and' | 'or'; readonly nodes: readonly Node[] }
  | { readonly kind: 'not'; readonly node: Node };

/** One way to match the query. */
export interface Alternative {
  /** Its words and phrases as the text of a plain query: it ends with a space unless its last word is the one that is being typed. */
  readonly text: string;
  /** Texts of which none may occur. */
  readonly excluded: readonly string[];
}

/**
 * The alternatives of a boolean query; none for a text without words. O(text * alternatives)
 * @throws ApiError invalid_search_boolean_query
 */
export function alternativesOf(text: string): Alternative[] {
  const root = new BooleanParser(text).parse();
  if (root === null) return [];
  const found = multiplied(root, false).map(toAlternative);
  if (found.length > 1 && found.some((each) => each.text.trim() === ''))
    throw apiError('invalid_search_boolean_query', 'onlyNegative');
  return found;
}

/** Texts that some alternatives exclude, with the places of these alternatives. */
export interface SharedExclusion {
  readonly texts: readonly string[];
  readonly places: readonly number[];
}

/**
 * What the alternatives exclude, each text once: texts that the same alternatives exclude are together. O(alternatives * texts)
 * @throws ApiError invalid_search_boolean_query
 */
export function sharedExclusions(alternatives: readonly Alternative[]): readonly SharedExclusion[] {
  const masks = new Map<string, number>();
  alternatives.forEach(({ excluded }, place) => {
    for (const text of excluded) masks.set(text, (masks.get(text) ?? 0) | (1 << place));
  });
  if (masks.size > MAX_EXCLUDED_WORDS) throw tooManyExcluded();
  const groups = new Map<number, string[]>();
  for (const [text, mask] of masks) {
    const group = groups.get(mask);
    if (group === undefined) groups.set(mask, [text]);
    else group.push(text);
  }
  return [...groups].map(([mask, texts]) => ({
    texts,
    places: [...alternatives.keys()].filter((place) => (mask & (1 << place)) !== 0),
  }));
}

export const tooManyExcluded = (): ApiError =>
  apiError('invalid_search_boolean_query', 'tooManyExcluded', MAX_EXCLUDED_WORDS);

const SPACE = /\s/u;
/** Ends a word: a space, a bracket or a quote. */
const WORD_END = /[\s()"]/gu;

class BooleanParser {
  private readonly text: string;
  private at = 0;
  private depth = 0;

  constructor(text: string) {
    this.text = text;
  }

  parse(): Node | null {
    const node = this.either();
    if (this.at < this.text.length) throw apiError('invalid_search_boolean_query', 'closesNothing', this.at + 1);
    return node;
  }

  /** Sequences separated by `OR`, up to a closing bracket or the end. */
  private either(): Node | null {
    const nodes: Node[] = [];
    for (;;) {
      const node = this.sequence();
      if (node !== null) nodes.push(node);
      if (!this.isOr()) break;
      if (node === null) throw apiError('invalid_search_boolean_query', 'misplacedOr', this.at + 1);
      this.at += 2;
    }
    return joined('or', nodes);
  }

  private sequence(): Node | null {
    const nodes: Node[] = [];
    for (;;) {
      this.skipSpace();
      if (this.at >= this.text.length || this.text[this.at] === ')' || this.isOr()) break;
      const node = this.operand();
      if (node !== null) nodes.push(node);
    }
    return joined('and', nodes);
  }

  /** A word, a phrase or brackets, with any number of `-` in front. */
  private operand(): Node | null {
    let isNegative = false;
    while (this.text[this.at] === '-' && this.at + 1 < this.text.length && !SPACE.test(this.text[this.at + 1]!)) {
      isNegative = !isNegative;
      this.at += 1;
    }
    const sign = this.text[this.at];
    const node = sign === '(' ? this.brackets() : sign === '"' ? this.phrase() : this.word();
    return isNegative && node !== null ? { kind: 'not', node } : node;
  }

  private brackets(): Node | null {
    this.at += 1;
    this.depth += 1;
    if (this.depth > MAX_QUERY_DEPTH) throw apiError('invalid_search_boolean_query', 'tooDeep', MAX_QUERY_DEPTH);
    const node = this.either();
    this.at += 1; // the closing bracket, or the end
    this.depth -= 1;
    return node;
  }

  private phrase(): Node | null {
    const from = this.at + 1;
    const end = this.text.indexOf('"', from);
    this.at = end < 0 ? this.text.length : end + 1;
    const text = this.text.slice(from, end < 0 ? undefined : end);
    return text.trim() === '' ? null : { kind: 'leaf', text, isPhrase: true, isAtEnd: false };
  }

  private word(): Node | null {
    WORD_END.lastIndex = this.at;
    const end = WORD_END.exec(this.text)?.index ?? this.text.length;
    const text = this.text.slice(this.at, end);
    this.at = end;
    return text === '' ? null : { kind: 'leaf', text, isPhrase: false, isAtEnd: end === this.text.length };
  }

  private isOr(): boolean {
    if (!this.text.startsWith('OR', this.at)) return false;
    const after = this.text[this.at + 2];
    return after === undefined || /[\s()"]/u.test(after);
  }

  private skipSpace(): void {
    while (this.at < this.text.length && SPACE.test(this.text[this.at]!)) this.at += 1;
  }
}

function joined(kind: 'and' | 'or', nodes: readonly Node[]): Node | null {
  return nodes.length > 1 ? { kind, nodes } : (nodes[0] ?? null);
}

/** Leaves of one alternative, in the order of the text. */
interface Leaves {
  readonly wanted: Leaf[];
  readonly excluded: string[];
}

/** The alternatives of a node, or of its negation. */
function multiplied(node: Node, isNegated: boolean): Leaves[] {
  if (node.kind === 'leaf')
    return [isNegated ? { wanted: [], excluded: [node.text] } : { wanted: [node], excluded: [] }];
  if (node.kind === 'not') return multiplied(node.node, !isNegated);
  const isSum = (node.kind === 'or') !== isNegated;
  let found: Leaves[] = isSum ? [] : [{ wanted: [], excluded: [] }];
  for (const child of node.nodes) {
    const more = multiplied(child, isNegated);
    const count = isSum ? found.length + more.length : found.length * more.length;
    if (count > MAX_QUERY_ALTERNATIVES)
      throw apiError('invalid_search_boolean_query', 'tooMany', MAX_QUERY_ALTERNATIVES);
    if (isSum) found.push(...more);
    else if (more.length === 1) for (const each of found) append(each, more[0]!);
    else
      found = found.flatMap((left) =>
        more.map((right) => ({
          wanted: [...left.wanted, ...right.wanted],
          excluded: [...left.excluded, ...right.excluded],
        })),
      );
  }
  return found;
}

function append(to: Leaves, more: Leaves): void {
  for (const leaf of more.wanted) to.wanted.push(leaf);
  for (const text of more.excluded) to.excluded.push(text);
}

function toAlternative({ wanted, excluded }: Leaves): Alternative {
  const texts = wanted.map(({ text, isPhrase }) => (isPhrase ? `"${text}"` : text));
  return { text: `${texts.join(' ')}${wanted.at(-1)?.isAtEnd === true ? '' : ' '}`, excluded };
}
