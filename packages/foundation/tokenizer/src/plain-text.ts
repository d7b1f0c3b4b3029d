/**
 * The plain form of a text, in which it is cut: without invisible characters, and with plain characters in place of those that stand for them
 * (full-width, half-width, circled, superscript, ligatures, presentation forms). Where words begin and end then does not depend on the form.
 */
import { CodeSet } from './code-set.js';
import { INVISIBLE_RANGES } from './data/invisible.js';
import { SEPARATOR_RANGES } from './data/separators.js';
import { SYMBOL_RANGES } from './data/symbols.js';
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
const CONTENT = /[\p{L}\p{N}\p{S}]/u;

/** Of the basic plane, whether a character has another plain form: 0 not known yet, 1 no, 2 yes. */
const known = new Uint8Array(0x10000);
const forms = new Map<number, string>();

/** Whether a character is a symbol, which is a token of its own. O(1) in the basic plane. */
export function isSymbol(code: number): boolean {
  return SYMBOLS.has(code);
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
export function plainTextOf(text: string, kept: ReadonlySet<number>): PlainText | undefined {
  for (let at = 0; at < text.length; ) {
    const code = text.codePointAt(at)!;
    if (
      code >= 0x80 &&
      !kept.has(code) &&
      (plainForm(code) !== undefined || SOUND_MARKS.has(code) || SKIN_TONES.has(code))
    )
      return new PlainWriter(text, kept).write(at);
    at += code > 0xffff ? 2 : 1;
  }
  return undefined;
}

class PlainWriter {
  private readonly original: string;
  private readonly kept: ReadonlySet<number>;
  private text = '';
  private readonly origins: number[] = [];

  constructor(original: string, kept: ReadonlySet<number>) {
    this.original = original;
    this.kept = kept;
  }

  /** `from`: the characters before are their own plain forms. */
  write(from: number): PlainText {
    const { original } = this;
    for (let at = 0; at < from; at++) this.origins.push(at);
    this.text = original.slice(0, from);
    let last = codeBefore(original, from);
    for (let at = from; at < original.length; ) {
      const code = original.codePointAt(at)!;
      const end = at + (code > 0xffff ? 2 : 1);
      this.add(code, at, end, last);
      last = code;
      at = end;
    }
    if (this.origins.length > 0) this.origins[0] = 0;
    this.origins.push(original.length);
    return { text: this.text, origins: this.origins };
  }

  private add(code: number, at: number, end: number, before: number): void {
    if (SOUND_MARKS.has(code) && this.joinSound(code)) return;
    if (SKIN_TONES.has(code) && SYMBOLS.has(before)) return;
    // between Persian and Arabic letters it is a narrow space
    const joins = code === NON_JOINER && scriptOf(before) === 'arabic';
    const form = joins || this.kept.has(code) ? undefined : plainForm(code);
    if (form === undefined) {
      for (let unit = at; unit < end; unit++) this.origins.push(unit);
      this.text += this.original.slice(at, end);
      return;
    }
    // where a form is several tokens, the first that is a word has the whole original
    const content = Math.max(0, form.search(CONTENT));
    for (let unit = 0; unit < form.length; unit++) this.origins.push(unit <= content ? at : end);
    this.text += form;
  }

  /** Composes the character before with a sound mark; false when there is no such letter. */
  private joinSound(code: number): boolean {
    const mark = code === 0x3099 || code === 0xff9e ? '\u3099' : '\u309a';
    const joined = (this.text.slice(-1) + mark).normalize('NFC');
    if (joined.length !== 1 || this.text === '') return false;
    this.text = this.text.slice(0, -1) + joined;
    return true;
  }
}

/** The character before an offset; 0 at the beginning. */
function codeBefore(text: string, at: number): number {
  const code = at < 2 ? 0 : text.codePointAt(at - 2)!;
  return code > 0xffff ? code : at === 0 ? 0 : text.charCodeAt(at - 1);
}
