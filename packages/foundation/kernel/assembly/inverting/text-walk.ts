// The part of the tokenizer for documents that needs no host: it cuts text by UTF-16 units into words, positions and terms, without a call of the host for
// ASCII words and for words that occurred before. The units are in the inverter's buffer; a table of the tokenizer gives the class of each unit. The host is
// asked once about a word that the kernel cannot classify (a letter beyond ASCII, a possible stop word); the result is cached as an alias of the units.

import { heapAlloc, heapFree } from "../arena";
import { addRecord, aliasesOf, FRONT_BYTES, Inverter, termsOf } from "./inverter";
import {
  POSITION_END, STEP_CONTEXT, UNIT_HARD, UNIT_PAIR, UNIT_SYMBOL, UNIT_WORD, WORD_HARD, WORD_SKIPPED, WORD_UNINDEXED, WORD_BYTES_MAX,
} from "../layout";
import { addItem, findItem, hashProbe, itemAt, itemValue, NO_ITEM, padProbe, probe, SET_BYTES_MAX, setItemValue } from "./word-set";

const SPACE: u32 = 0x20;
const ASCII_END: u32 = 0x80;
/** There is a class for each unit. */
const UNIT_COUNT: u32 = 0x10000;
/** First units of pairs. The host admits none but those of symbols. */
const PAIR_FIRST: u32 = 0xd800;
const PAIR_LAST: u32 = 0xdbff;
/** A letter of a flag is this unit and one of the range; two of them are one symbol. */
const FLAG_UNIT: u32 = 0xd83c;
const FLAG_FIRST: u32 = 0xdde6;
const FLAG_LAST: u32 = 0xddff;
/** The table is part of the key, so terms of the two tables never collide. */
const ALIAS_UNITS_MAX: u32 = SET_BYTES_MAX / 2;

/** Reserves space for the units of a text. Returns its address. */
export function inverterUnits(self: usize, unitCount: u32): usize {
  const inverter = changetype<Inverter>(self);
  if (unitCount > inverter.unitCapacity) {
    heapFree(inverter.units);
    inverter.unitCapacity = max<u32>(4096, unitCount + (unitCount >> 1));
    inverter.units = heapAlloc(inverter.unitCapacity << 1);
  }
  return inverter.units;
}

/** Reserves the class table. Returns the address where the host writes its `classCount` bytes; no text has a unit after them but pairs. */
export function inverterClasses(self: usize, classCount: u32, classifiesAll: u32, splitsNumbers: u32): usize {
  const inverter = changetype<Inverter>(self);
  heapFree(inverter.classes);
  inverter.classes = heapAlloc(UNIT_COUNT);
  memory.fill(inverter.classes + PAIR_FIRST, <u8>UNIT_SYMBOL, PAIR_LAST + 1 - PAIR_FIRST);
  inverter.classifiesAll = classifiesAll;
  inverter.splitsNumbers = splitsNumbers;
  return inverter.classes;
}

/** Starts a text of `unitCount` units. Returns the same as inverterContinue. */
export function inverterWalk(self: usize, unitCount: u32, table: u32, keyBase: u32, counter: u32): u32 {
  const inverter = changetype<Inverter>(self);
  inverter.unitCount = unitCount;
  inverter.unitAt = 0;
  inverter.table = table;
  inverter.keyBase = keyBase;
  inverter.counter = counter;
  inverter.offset = counter;
  inverter.step = 0;
  inverter.emitted = 0;
  inverter.symbolsEnd = 0;
  return inverterContinue(self);
}

export function inverterCounter(self: usize): u32 { return changetype<Inverter>(self).counter; }
export function inverterEmitted(self: usize): u32 { return changetype<Inverter>(self).emitted; }
export function inverterWordStart(self: usize): u32 { return changetype<Inverter>(self).wordStart; }
export function inverterWordEnd(self: usize): u32 { return changetype<Inverter>(self).unitAt; }

/** Returns 1 when the host must classify the word [inverterWordStart, inverterWordEnd), 0 at the end of the text. */
function inverterContinue(self: usize): u32 {
  const inverter = changetype<Inverter>(self);
  const units = inverter.units;
  const classes = inverter.classes;
  const end = inverter.unitCount;
  const classifiesAll = inverter.classifiesAll != 0;
  let at = inverter.unitAt;
  while (at < end) {
    const unit = <u32>load<u16>(units + (<usize>at << 1));
    const unitClass = <u32>load<u8>(classes + unit);
    if (unitClass == UNIT_SYMBOL) {
      if (at >= inverter.symbolsEnd) beginSymbols(inverter, at);
      const length = symbolLength(inverter, at);
      const symbol = aliasOf(inverter, at, length);
      inverter.unitAt = at + length;
      if (symbol == NO_ITEM) {
        inverter.wordStart = at;
        return 1;
      }
      if (!takeSymbol(inverter, symbol)) return 0;
      at += length;
      continue;
    }
    if (unitClass != UNIT_WORD) {
      at++;
      // The space of a hard pair is a soft separator, which has no effect, so it needs no step of its own.
      if (unitClass == UNIT_HARD || (unitClass == UNIT_PAIR && at < end && load<u16>(units + (<usize>at << 1)) == SPACE)) {
        // A step of 0 means that there was no word yet: separators before the first word do not count.
        if (inverter.step != 0) inverter.step = STEP_CONTEXT;
      }
      continue;
    }
    const start = at;
    let highest: u32 = 0;
    let next = unit;
    do {
      highest |= next;
      // 'A'..'Z' only: adds 0x20 where the unit less 'A' is below 26.
      const lower = next | (<u32>(next - 0x41 < 26) << 5);
      if (at - start < SET_BYTES_MAX) store<u8>(probe + (at - start), <u8>lower);
      if (++at == end) break;
      next = <u32>load<u16>(units + (<usize>at << 1));
    } while (load<u8>(classes + next) == UNIT_WORD);
    const length = at - start;
    if (highest < ASCII_END && !classifiesAll && unit != SPACE && load<u16>(units + (<usize>(at - 1) << 1)) != SPACE) {
      if (!takeWord(inverter, length)) return 0;
      continue;
    }
    inverter.unitAt = at;
    const action = aliasOf(inverter, start, length);
    if (action == NO_ITEM) {
      inverter.wordStart = start;
      return 1;
    }
    if (!takeAction(inverter, action)) return 0;
  }
  return 0;
}

/** Adds an occurrence of the lower-cased word in the probe. False when the field is full. */
function takeWord(inverter: Inverter, length: u32): bool {
  const offset = inverter.offset + inverter.step;
  inverter.offset = offset;
  inverter.step = 1;
  if (offset >= <u32>POSITION_END) return false;
  if (length > <u32>WORD_BYTES_MAX) return true;
  padProbe(length);
  const table = inverter.splitsNumbers != 0 && inverter.table == 0 && isNumeric(length) ? 1 : inverter.table;
  inverter.counter = offset;
  inverter.emitted++;
  addRecord(inverter, termOfProbe(inverter, length, table), inverter.keyBase + offset);
  return true;
}

/** Digits and ASCII punctuation, at least one digit. The probe is ASCII in lower case. */
function isNumeric(length: u32): bool {
  let hasDigit = false;
  for (let i: usize = 0; i < <usize>length; i++) {
    const byte = <u32>load<u8>(probe + i);
    if (byte - 0x61 < 26 || byte <= SPACE || byte == 0x7f) return false;
    if (byte - 0x30 < 10) hasDigit = true;
  }
  return hasDigit;
}

/** The front cache is used from this many distinct words on. */
const FRONT_FROM: u32 = 512;

/**
 * The term of the padded probe. Most words of a text are among a few thousand short ones. These are found in a cache before the set, by one entry `[u64 the
 * word's bytes][u32 length << 8 | table][u32 term]` where the set would read three.
 */
function termOfProbe(inverter: Inverter, length: u32, table: u32): u32 {
  if (length > 8) return termInSet(inverter, length, table);
  if (inverter.front == 0) {
    if (termsOf(inverter).count < FRONT_FROM) return termInSet(inverter, length, table);
    inverter.front = heapAlloc(FRONT_BYTES);
    memory.fill(inverter.front, 0, FRONT_BYTES);
  }
  const bytes = load<u64>(probe);
  const tag = length << 8 | table;
  const entry = inverter.front + (<usize>(bytes * 0x9e3779b97f4a7c15 >> 51) << 4);
  if (load<u64>(entry) == bytes && load<u32>(entry, 8) == tag) return load<u32>(entry, 12);
  const term = termInSet(inverter, length, table);
  store<u64>(entry, bytes);
  store<u32>(entry, tag, 8);
  store<u32>(entry, term, 12);
  return term;
}

function termInSet(inverter: Inverter, length: u32, table: u32): u32 {
  const terms = termsOf(inverter);
  const hash = hashProbe(length, table);
  const item = findItem(terms, hash, length, table);
  return item == NO_ITEM ? addItem(terms, hash, length, table) : item;
}

function takeAction(inverter: Inverter, action: u32): bool {
  if (action == WORD_SKIPPED) return true;
  if (action == WORD_HARD) {
    if (inverter.step != 0) inverter.step = STEP_CONTEXT;
    return true;
  }
  const offset = inverter.offset + inverter.step;
  inverter.offset = offset;
  inverter.step = 1;
  if (offset >= <u32>POSITION_END) return false;
  if (action == WORD_UNINDEXED) return true;
  inverter.counter = offset;
  inverter.emitted++;
  addRecord(inverter, action, inverter.keyBase + offset);
  return true;
}

// @ts-ignore: decorator
@inline function unitAt(inverter: Inverter, at: u32): u32 { return load<u16>(inverter.units + (<usize>at << 1)); }

// @ts-ignore: decorator
@inline function classAt(inverter: Inverter, at: u32): u32 { return load<u8>(inverter.classes + unitAt(inverter, at)); }

function beginSymbols(inverter: Inverter, start: u32): void {
  let at = start;
  while (at < inverter.unitCount && classAt(inverter, at) == UNIT_SYMBOL) at += pairLength(unitAt(inverter, at));
  const isAfterWord = start > 0 && classAt(inverter, start - 1) == UNIT_WORD;
  inverter.symbolsEnd = at;
  inverter.isBesideWord = <u32>(isAfterWord || (at < inverter.unitCount && classAt(inverter, at) == UNIT_WORD));
}

// @ts-ignore: decorator
@inline function pairLength(unit: u32): u32 { return unit - PAIR_FIRST <= PAIR_LAST - PAIR_FIRST ? 2 : 1; }

/** Units of the symbol at `at`, which a run of symbols contains. */
function symbolLength(inverter: Inverter, at: u32): u32 {
  if (at + 4 <= inverter.symbolsEnd && isFlagLetter(inverter, at) && isFlagLetter(inverter, at + 2)) return 4;
  return pairLength(unitAt(inverter, at));
}

function isFlagLetter(inverter: Inverter, at: u32): bool {
  return unitAt(inverter, at) == FLAG_UNIT && unitAt(inverter, at + 1) - FLAG_FIRST <= FLAG_LAST - FLAG_FIRST;
}

/** A symbol directly before or after a word has the position of a word next to it, and does not make the field longer; any other one is a word. */
function takeSymbol(inverter: Inverter, action: u32): bool {
  if (inverter.isBesideWord == 0 || action >= WORD_UNINDEXED) return takeAction(inverter, action);
  addRecord(inverter, action, inverter.keyBase + inverter.offset);
  return true;
}

function probeUnits(inverter: Inverter, start: u32, length: u32): void {
  memory.copy(probe, inverter.units + (<usize>start << 1), <usize>length << 1);
  padProbe(length << 1);
}

function aliasOf(inverter: Inverter, start: u32, length: u32): u32 {
  if (length > ALIAS_UNITS_MAX) return NO_ITEM;
  probeUnits(inverter, start, length);
  const aliases = aliasesOf(inverter);
  const item = findItem(aliases, hashProbe(length << 1, inverter.table), length << 1, inverter.table);
  return item == NO_ITEM ? NO_ITEM : itemValue(itemAt(aliases, item));
}

/** Continues after the host's classification of a word: a term or one of the WORD_ codes. Returns the same as inverterContinue. */
export function inverterAnswer(self: usize, action: u32): u32 {
  const inverter = changetype<Inverter>(self);
  const start = inverter.wordStart;
  const length = inverter.unitAt - start;
  if (length <= ALIAS_UNITS_MAX) {
    probeUnits(inverter, start, length);
    const aliases = aliasesOf(inverter);
    const item = addItem(aliases, hashProbe(length << 1, inverter.table), length << 1, inverter.table);
    setItemValue(itemAt(aliases, item), action);
  }
  const isTaken = start < inverter.symbolsEnd ? takeSymbol(inverter, action) : takeAction(inverter, action);
  return isTaken ? inverterContinue(self) : 0;
}

/** Address where the host writes a word's UTF-8 bytes, at most WORD_BYTES_MAX, before inverterTerm. */
export function inverterProbe(): usize { return probe; }

/** The term of the word of `length` bytes in the probe, in one table. */
export function inverterTerm(self: usize, length: u32, table: u32): u32 {
  padProbe(length);
  return termOfProbe(changetype<Inverter>(self), length, table);
}
