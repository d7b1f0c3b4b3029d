import type { Inverter } from '@fossick/kernel';
import type { Tokenizer } from '@fossick/tokenizer';
import type { JsonObject } from '../documents/parse-document.js';
import type { IndexSettings } from '../settings/settings.js';
import type { FieldPlan, FieldPlans } from './field-plans.js';
import type { WordCountTable } from './word-counts.js';

/** Positions are u16; a value that would start beyond is ignored. */
const POSITION_BOUND = 65_536;
/** Every visit of a field after the first stands this far from the one before (spec 10 section 10.1). */
const VISIT_GAP = 8;
/** Rough bytes of a Map entry with its string. */
const TERM_BYTES = 96;
const NUMERIC_ONLY = /^[\p{N}!-/:-@[-`{-~]+$/u;
const HAS_DIGIT = /\p{N}/u;

/** Walks documents and feeds their words to the inverter: the document side of spec 10 section 10. */
export class WordCollector {
  readonly tolerantTerms = new Map<string, number>();
  readonly exactTerms = new Map<string, number>();
  private termCount = 0;
  private readonly disableOnNumbers: boolean;

  private docId = 0;
  private keyBase = 0;
  private emitted = 0;
  private terms = this.tolerantTerms;
  /** Counter of each field in the running document; valid where `stamps` has the running stamp. */
  private counters = new Int32Array(64);
  private wordCounts = new Int32Array(64);
  private stamps = new Uint32Array(64);
  private stamp = 0;
  private touched: number[] = [];

  constructor(
    private readonly inverter: Inverter,
    private readonly tokenizer: Tokenizer,
    private readonly plans: FieldPlans,
    private readonly countTable: WordCountTable,
    settings: IndexSettings,
  ) {
    this.disableOnNumbers = settings.typoTolerance.disableOnNumbers;
  }

  get heldBytes(): number {
    return this.termCount * TERM_BYTES;
  }

  addDocument(docId: number, document: JsonObject): void {
    this.docId = docId;
    this.stamp += 1;
    this.touched.length = 0;
    for (const key in document) this.walk(document[key], this.plans.top(key));
    for (const fieldId of this.touched) this.countTable.add(fieldId, this.wordCounts[fieldId]!, docId);
  }

  /** An object or array is gone through; anything else is a visit. */
  private walk(value: unknown, plan: FieldPlan): void {
    if (typeof value !== 'object' || value === null) {
      if (plan.isSearchable) this.visit(value, plan);
    } else if (Array.isArray(value)) {
      for (const item of value) this.walk(item, plan);
    } else {
      this.walkObject(value as JsonObject, plan);
    }
  }

  private walkObject(object: JsonObject, plan: FieldPlan): void {
    for (const key of Object.keys(object)) {
      const value = object[key];
      const child = this.plans.child(plan, key);
      // A container that a key inside an object holds is a visit of its own, before its content.
      if (typeof value === 'object' && value !== null && child.isSearchable) this.visit(null, child);
      this.walk(value, child);
    }
  }

  private visit(value: unknown, plan: FieldPlan): void {
    const fieldId = plan.fieldId;
    if (fieldId >= this.stamps.length) this.growFields(fieldId + 1);
    if (this.stamps[fieldId] !== this.stamp) {
      this.stamps[fieldId] = this.stamp;
      this.counters[fieldId] = 0;
      this.wordCounts[fieldId] = 0;
      this.touched.push(fieldId);
    } else {
      this.counters[fieldId]! += VISIT_GAP;
    }
    const counter = this.counters[fieldId]!;
    if (value === null || counter >= POSITION_BOUND) return;
    const text = typeof value === 'string' ? value : String(value);
    if (text === '') return;
    this.keyBase = fieldId * POSITION_BOUND;
    this.emitted = 0;
    this.terms = plan.isExact ? this.exactTerms : this.tolerantTerms;
    const emit = this.disableOnNumbers && !plan.isExact ? this.emitSplitNumbers : this.emit;
    this.counters[fieldId] = this.tokenizer.visitWords(text, counter, emit, plan.locales);
    this.wordCounts[fieldId]! += this.emitted;
  }

  private readonly emit = (lemma: string, position: number): void => {
    let termId = this.terms.get(lemma);
    if (termId === undefined) {
      termId = this.termCount++;
      this.terms.set(lemma, termId);
    }
    this.emitted += 1;
    this.inverter.add(termId, this.docId, this.keyBase + position);
  };

  private readonly emitSplitNumbers = (lemma: string, position: number): void => {
    this.terms = NUMERIC_ONLY.test(lemma) && HAS_DIGIT.test(lemma) ? this.exactTerms : this.tolerantTerms;
    this.emit(lemma, position);
  };

  private growFields(fieldCount: number): void {
    const size = Math.max(fieldCount, this.stamps.length * 2);
    this.counters = grownCopy(this.counters, new Int32Array(size));
    this.wordCounts = grownCopy(this.wordCounts, new Int32Array(size));
    this.stamps = grownCopy(this.stamps, new Uint32Array(size));
  }
}

function grownCopy<T extends Int32Array | Uint32Array>(from: T, to: T): T {
  to.set(from);
  return to;
}
