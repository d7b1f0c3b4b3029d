import { stepInBudget } from '@fossick/base';
import type { Token, Tokenizer } from '@fossick/tokenizer';
import { type LocatedTerm, prefixOf, type TermLookup } from './matching-terms.js';

/**
 * A part of a text that matches the query. Token and word indexes count from 0; a word is any token that is no
 * separator.
 */
export interface TextMatch {
  readonly firstToken: number;
  readonly lastToken: number;
  readonly firstWord: number;
  readonly lastWord: number;
  /** Query positions covered, inclusive. */
  readonly firstPosition: number;
  readonly lastPosition: number;
  /** UTF-16 offsets: [start, highlightEnd) is highlighted, the tokens end at `end`. */
  readonly start: number;
  readonly highlightEnd: number;
  readonly end: number;
  /** The term is a stop word of the query. */
  readonly isStopWord: boolean;
}

/** A text cut for formatting. */
export interface TextTokens {
  readonly text: string;
  readonly tokens: readonly Token[];
  /** Whether it is of an attribute whose words match by a part of them. */
  readonly hasInfixes: boolean;
}

/** Whether the token is no word: a separator, or a symbol next to a word. */
export function isSeparator(token: Token): boolean {
  return token.kind !== 'word' && token.kind !== 'stopWord';
}

/** The matches of a text in order, without overlaps. O(text), and for each token the phrases that begin with it. */
export function findMatches(cut: TextTokens, lookup: TermLookup, tokenizer: Tokenizer): TextMatch[] {
  const { tokens } = cut;
  const matches: TextMatch[] = [];
  if (lookup.isEmpty) return matches;
  let word = 0;
  for (let index = 0; index < tokens.length; ) {
    stepInBudget();
    const token = tokens[index]!;
    if (isSeparator(token)) {
      const match =
        token.kind === 'symbol' ? matchWord(cut, index, Math.max(0, word - 1), lookup, tokenizer) : undefined;
      if (match !== undefined) matches.push(match);
      index++;
      continue;
    }
    // a character that is several tokens is of one of them
    if (token.start === token.end) {
      index++;
      word++;
      continue;
    }
    const match = matchPhrase(tokens, index, word, lookup) ?? matchWord(cut, index, word, lookup, tokenizer);
    if (match === undefined) {
      index++;
      word++;
    } else {
      matches.push(match);
      index = match.lastToken + 1;
      word = match.lastWord + 1;
    }
  }
  return matches;
}

function matchPhrase(
  tokens: readonly Token[],
  firstToken: number,
  firstWord: number,
  lookup: TermLookup,
): TextMatch | undefined {
  const phrases = lookup.phrasesByFirstWord.get(tokens[firstToken]!.lemma);
  if (phrases === undefined) return undefined;
  for (const { words, term } of phrases) {
    const lastToken = lastTokenOfPhrase(tokens, firstToken, words);
    if (lastToken === undefined) continue;
    const { firstPosition, lastPosition } = term;
    const end = tokens[lastToken]!.end;
    return {
      firstToken,
      lastToken,
      firstWord,
      lastWord: firstWord + words.length - 1,
      firstPosition,
      lastPosition,
      start: tokens[firstToken]!.start,
      highlightEnd: end,
      end,
      isStopWord: false,
    };
  }
  return undefined;
}

function lastTokenOfPhrase(tokens: readonly Token[], firstToken: number, words: readonly string[]): number | undefined {
  let index = firstToken;
  for (let at = 1; at < words.length; at++) {
    do index++;
    while (index < tokens.length && isSeparator(tokens[index]!));
    if (index >= tokens.length || tokens[index]!.lemma !== words[at]) return undefined;
  }
  return index;
}

function matchWord(
  { text, tokens, hasInfixes }: TextTokens,
  index: number,
  word: number,
  lookup: TermLookup,
  tokenizer: Tokenizer,
): TextMatch | undefined {
  const token = tokens[index]!;
  const found = termOf(token.lemma, lookup) ?? (hasInfixes ? infixTermOf(token.lemma, lookup) : undefined);
  if (found === undefined) return undefined;
  const { term, prefix, infix } = found;
  const { end } = token;
  const start = infix === undefined ? token.start : token.start + tokenizer.originalLength(text, token, infix.before);
  const marked =
    infix !== undefined
      ? token.start + tokenizer.originalLength(text, token, infix.until) - start
      : prefix === undefined
        ? end - start
        : markedLength(text, token, prefix, term, tokenizer);
  const { firstPosition, lastPosition } = term;
  return {
    firstToken: index,
    lastToken: index,
    firstWord: word,
    lastWord: word,
    firstPosition,
    lastPosition,
    start,
    highlightEnd: Math.min(start + marked, end),
    end,
    isStopWord: term.isStopWord === true,
  };
}

/** A term that matches a lemma: as a whole, by a prefix or by a part within. */
interface FoundTerm {
  readonly term: LocatedTerm;
  readonly prefix?: string;
  readonly infix?: { readonly before: string; readonly until: string };
}

/** The first term in order of precedence that matches the lemma, with the matching word when it is a prefix. */
function termOf(lemma: string, { termByWord, prefixTerms }: TermLookup): FoundTerm | undefined {
  const exact = termByWord.get(lemma);
  for (const prefixTerm of prefixTerms) {
    if (exact !== undefined && exact.rank < prefixTerm.rank) break;
    const prefix = prefixOf(prefixTerm, lemma);
    if (prefix !== undefined) return { term: prefixTerm.term, prefix };
  }
  return exact;
}

/** The first term in order of precedence that the lemma contains, with the lemma up to it and with it. */
function infixTermOf(lemma: string, { infixTerms }: TermLookup): FoundTerm | undefined {
  for (const term of infixTerms) {
    const at = lemma.indexOf(term.infix!);
    if (at >= 0) return { term, infix: { before: lemma.slice(0, at), until: lemma.slice(0, at + term.infix!.length) } };
  }
  return undefined;
}

/** Length to highlight: the part of the token that corresponds to the typed prefix. */
function markedLength(text: string, token: Token, word: string, term: LocatedTerm, tokenizer: Tokenizer): number {
  const typed = [...word].slice(0, term.originalWordChars).join('');
  return tokenizer.originalLength(text, token, typed);
}
