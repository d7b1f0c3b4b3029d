import { CodeSet, parseRanges } from './code-set.js';
import {
  ARMENIAN_RANGES,
  HAN_RANGES,
  HIRAGANA_RANGES,
  KATAKANA_RANGES,
  SCRIPT_RANGES,
  type Script,
} from './data/script-ranges.js';
import { SYMBOL_RANGES } from './data/symbols.js';

const NAMES: readonly Script[] = ['other', ...SCRIPT_RANGES.map(([script]) => script), 'armenian'];
const ARMENIAN_INDEX = NAMES.length - 1;
const ARABIC_INDEX = NAMES.indexOf('arabic');
const CJ_INDEX = NAMES.indexOf('cj');
const SCRIPT_OF_BASIC = buildBasicTable();
const ARMENIAN = new CodeSet(ARMENIAN_RANGES);
const HAN = new CodeSet(HAN_RANGES);
const HIRAGANA = new CodeSet(HIRAGANA_RANGES);
const KATAKANA = new CodeSet(KATAKANA_RANGES);

/** A run of text of one script; `start` and `end` are UTF-16 offsets. */
export interface ScriptGroup {
  readonly start: number;
  readonly end: number;
  readonly script: Script;
}

/** Counts of the characters that distinguish Chinese from Japanese. */
export interface CjCounts {
  readonly han: number;
  readonly hiragana: number;
  readonly katakana: number;
}

function buildBasicTable(): Uint8Array {
  const table = new Uint8Array(0x10000);
  // From the lowest precedence up: the first range of the list is written last and wins.
  for (let index = SCRIPT_RANGES.length - 1; index >= 0; index--) {
    for (const [first, last] of parseRanges(SCRIPT_RANGES[index]![1])) {
      if (last <= 0xffff) table.fill(index + 1, first, last + 1);
    }
  }
  // a sign between words of one script does not divide them
  for (const [first, last] of parseRanges(SYMBOL_RANGES)) if (last <= 0xffff) table.fill(0, first, last + 1);
  return table;
}

function scriptIndexOf(code: number): number {
  if (code < 0x10000) return SCRIPT_OF_BASIC[code]!;
  return (code >= 0x10e60 && code <= 0x10e7f) || (code >= 0x1ee00 && code <= 0x1eeff) ? ARABIC_INDEX : 0;
}

/** Script of one code point. */
export function scriptOf(code: number): Script {
  return NAMES[scriptIndexOf(code)]!;
}

/** Splits text into groups of one script; characters of no script belong to the group on their left. O(length). */
export function splitScriptGroups(text: string): ScriptGroup[] {
  const groups: ScriptGroup[] = [];
  let current = 0;
  let start = 0;
  for (let at = 0; at < text.length; ) {
    const code = text.codePointAt(at)!;
    const script = scriptIndexOf(code);
    if (script !== 0 && script !== current) {
      if (current !== 0) {
        groups.push({ start, end: at, script: dominantScript(text, start, at) });
        start = at;
      }
      current = script;
    }
    at += code > 0xffff ? 2 : 1;
  }
  if (start < text.length) groups.push({ start, end: text.length, script: dominantScript(text, start, text.length) });
  return groups;
}

/** The most frequent script between two offsets; `other` when no character has one. O(length). */
export function dominantScript(text: string, start: number, end: number): Script {
  const counts = new Uint32Array(NAMES.length);
  for (let at = start; at < end; ) {
    const code = text.codePointAt(at)!;
    at += code > 0xffff ? 2 : 1;
    counts[ARMENIAN.has(code) ? ARMENIAN_INDEX : scriptIndexOf(code)]!++;
  }
  let best = 0;
  let bestCount = 0;
  for (let index = 1; index < counts.length; index++) {
    if (counts[index]! > bestCount) {
      best = index;
      bestCount = counts[index]!;
    }
  }
  return NAMES[best]!;
}

/** Counts Han and kana between two offsets. O(length). */
export function countCj(text: string, start: number, end: number): CjCounts {
  let han = 0;
  let hiragana = 0;
  let katakana = 0;
  for (let at = start; at < end; at++) {
    const code = text.charCodeAt(at);
    if (SCRIPT_OF_BASIC[code] !== CJ_INDEX) continue;
    if (HAN.has(code)) han++;
    else if (HIRAGANA.has(code)) hiragana++;
    else if (KATAKANA.has(code)) katakana++;
  }
  return { han, hiragana, katakana };
}
