/**
 * The plain form of a text, in which it is cut: without invisible characters, and with plain characters in place of those that stand for them
 * (full-width, half-width, circled, superscript, ligatures, presentation forms). Where words begin and end then does not depend on the form.
 */
import { CodeSet } from './code-set.js';
import { SEPARATOR_RANGES } from './data/separators.js';
import { INVISIBLE_RANGES, SYMBOL_RANGES } from './data/symbols.js';
import { scriptOf } from './script.js';

export interface PlainText {
  readonly text: string;
  /** The offset in the original text where each unit of the plain one begins, and at last the length of the original. */
  readonly origins: readonly number[];
}

const SEPARATORS = new CodeSet(SEPARATOR_RANGES);
const SYMBOLS = new CodeSet(SYMBOL_RANGES);
const INVISIBLE = new CodeSet(INVISIBLE_RANGES);

const NON_JOINER = 0x200c;
/** Letters of word lists, which have them in this form: Thai and Lao AM, and single letters of Hangul. */
const LISTED = new CodeSet('0E33 0EB3 3131-318E');
/** Sound marks of kana, full-width and half-width: they belong to the character before. */
const SOUND_MARKS = new CodeSet('3099-309A FF9E-FF9F');
const SKIN_TONES = new CodeSet('1F3FB-1F3FF');
/** Circled and squared characters in white on black, or in two circles, which Unicode does not decompose: first, last, plain form of the first. */
const WHITE_FORMS: readonly (readonly [number, number, number | 'A'])[] = [
  [0x24eb, 0x24f4, 11],
  [0x24f5, 0x24fe, 1],
  [0x24ff, 0x24ff, 0],
  [0x2776, 0x277f, 1],
  [0x2780, 0x2789, 1],
  [0x278a, 0x2793, 1],
  [0x1f10b, 0x1f10b, 0],
  [0x1f10c, 0x1f10c, 0],
  [0x1f150, 0x1f169, 'A'],
  [0x1f170, 0x1f189, 'A'],
];
const PARTS_MAX = 1024;
const CONTENT = /[\p{L}\p{N}\p{S}]/u;

/** Of the basic plane, whether a character has another plain form: 0 not known yet, 1 no, 2 yes. */
const known = new Uint8Array(0x10000);
const forms = new Map<number, string>();

/** Whether a character is a symbol, which is a token of its own. O(1) in the basic plane. */
export function isSymbol(code: number): boolean {
  return SYMBOLS.has(code);
}

/** Whether a character colours the symbol before it. O(1). */
export function isSkinTone(code: number): boolean {
  return SKIN_TONES.has(code);
}

/** The plain form of one character, wherever it stands; undefined when it is its own. O(1). */
export function plainForm(code: number): string | undefined {
  if (code < 0x80) return undefined;
  if (code > 0xffff) return formOf(code);
  if (known[code] === 0) {
    const form = formOf(code);
    known[code] = form === undefined ? 1 : 2;
    if (form !== undefined) forms.set(code, form);
  }
  return known[code] === 1 ? undefined : forms.get(code);
}

function formOf(code: number): string | undefined {
  // heh with a hamza, as Persian writes it; Unicode decomposes it to another letter, the vowel AE
  if (code === 0x6c0) return '\u0647\u0654';
  if (INVISIBLE.has(code)) return '';
  if (SYMBOLS.has(code) || LISTED.has(code)) return undefined;
  const char = String.fromCodePoint(code);
  if (SEPARATORS.has(code)) {
    // one that decomposes to a separator is cut as it is
    const parts = char.normalize('NFKD');
    return parts.length === char.length && SEPARATORS.has(parts.codePointAt(0)!)
      ? undefined
      : parts.replace(/\p{M}/gu, '');
  }
  for (const [first, last, start] of WHITE_FORMS)
    if (code >= first && code <= last)
      return start === 'A' ? String.fromCharCode(0x41 + code - first) : String(start + code - first);
  const composed = char.normalize('NFKC');
  return composed === char ? undefined : composed;
}

/**
 * The plain form of a text; undefined when it is its own, which most texts are. `kept`: characters that stay as they are, because the
 * settings name them. O(length).
 */
export function plainTextOf(text: string, kept: ReadonlySet<number>): string | undefined {
  return writerOf(text, kept)?.write();
}

/** The same with the origin of each unit, for a text that is shown: eight bytes for each. */
export function locatedPlainText(text: string, kept: ReadonlySet<number>): PlainText | undefined {
  const origins: number[] = [];
  const plain = writerOf(text, kept, origins)?.write();
  return plain === undefined ? undefined : { text: plain, origins };
}

/** Undefined when no character changes. */
function writerOf(text: string, kept: ReadonlySet<number>, origins?: number[]): PlainWriter | undefined {
  for (let at = 0; at < text.length; ) {
    const code = text.codePointAt(at)!;
    if (code >= 0x80 && !kept.has(code) && mayChange(code)) return new PlainWriter(text, kept, at, origins);
    at += code > 0xffff ? 2 : 1;
  }
  return undefined;
}

function mayChange(code: number): boolean {
  return plainForm(code) !== undefined || SOUND_MARKS.has(code) || SKIN_TONES.has(code);
}

class PlainWriter {
  private readonly original: string;
  private readonly kept: ReadonlySet<number>;
  private readonly from: number;
  private readonly origins: number[] | undefined;
  private text = '';
  /** What follows `text`: few parts, so that its last character costs little. */
  private parts: string[] = [];
  /** Where the characters begin that stay as they are and are not in `text` yet. */
  private runStart = 0;

  /** `from`: the characters before are their own plain forms. */
  constructor(original: string, kept: ReadonlySet<number>, from: number, origins: number[] | undefined) {
    this.original = original;
    this.kept = kept;
    this.from = from;
    this.origins = origins;
  }

  write(): string {
    const { original, origins, from } = this;
    let last = codeBefore(original, from);
    for (let at = from; at < original.length; ) {
      const code = original.codePointAt(at)!;
      const end = at + (code > 0xffff ? 2 : 1);
      if (code >= 0x80 && !this.kept.has(code) && mayChange(code)) this.change(code, at, end, last);
      last = code;
      at = end;
    }
    this.endRun(original.length, original.length);
    if (origins !== undefined) {
      if (origins.length > 0) origins[0] = 0;
      origins.push(original.length);
    }
    return this.text + this.parts.join('');
  }

  private change(code: number, at: number, end: number, before: number): void {
    // after Persian and Arabic letters it is a narrow space
    if (code === NON_JOINER && scriptOf(before) === 'arabic') return;
    const form = SKIN_TONES.has(code) && SYMBOLS.has(before) ? '' : plainForm(code);
    if (form === undefined && !SOUND_MARKS.has(code)) return;
    this.endRun(at, end);
    if (SOUND_MARKS.has(code) && this.joinSound(code)) return;
    const added = form ?? String.fromCodePoint(code);
    // where a form is several tokens, the first that is a word has the whole original
    const content = Math.max(0, added.search(CONTENT));
    for (let unit = 0; unit < added.length; unit++) this.origins?.push(unit <= content ? at : end);
    this.add(added);
  }

  /** Takes over the characters up to `at`; the next ones begin at `next`. */
  private endRun(at: number, next: number): void {
    if (this.origins !== undefined) for (let unit = this.runStart; unit < at; unit++) this.origins.push(unit);
    if (at > this.runStart) this.add(this.original.slice(this.runStart, at));
    this.runStart = next;
  }

  private add(part: string): void {
    if (part === '') return;
    if (this.parts.length === PARTS_MAX) {
      this.text += this.parts.join('');
      this.parts = [];
    }
    this.parts.push(part);
  }

  /** Composes the character before with a sound mark; false when there is no such letter. */
  private joinSound(code: number): boolean {
    const mark = code === 0x3099 || code === 0xff9e ? '\u3099' : '\u309a';
    const last = this.parts.at(-1);
    const joined = last === undefined ? '' : (last.slice(-1) + mark).normalize('NFC');
    if (joined.length !== 1) return false;
    this.parts[this.parts.length - 1] = last!.slice(0, -1) + joined;
    return true;
  }
}

/** The character before an offset; 0 at the beginning. */
function codeBefore(text: string, at: number): number {
  const code = at < 2 ? 0 : text.codePointAt(at - 2)!;
  return code > 0xffff ? code : at === 0 ? 0 : text.charCodeAt(at - 1);
}
