import type { FieldId, LocalOrdinal } from '@fossick/base';
import type { FieldNames } from '@fossick/documents';
import { type JsonObject, LosslessFloat } from '@fossick/documents/stored';
import type { ClassifiedWord, Inverter, TermId } from '@fossick/kernel';
import { type IndexSettings, isExactField, isNumeric, isSearchableField, localesOf } from '@fossick/settings/indexing';
import type { Tokenizer } from '@fossick/tokenizer';

import type { WordCountTable } from '../bytes/word-counts.js';

/** Positions are u16; a value that would start beyond this is ignored. */
const POSITION_BOUND = 65_536;
/** The gap of positions between two visits of a field. */
const VISIT_GAP = 8;
/** Rough bytes of a Map entry with its string. */
const TERM_BYTES = 96;
const FUZZY = 0;
const EXACT = 1;

/**
 * Walks documents and feeds their words to the inverter. Text that can be cut unit by unit goes to the kernel
 * unchanged; other text goes through the tokenizer, word by word.
 */
export class WordCollector {
  private readonly inverter: Inverter;
  private readonly tokenizer: Tokenizer;
  private plans: FieldPlans;
  private readonly countTable: WordCountTable;
  /** Terms of words from the tokenizer, by table. */
  private readonly terms = [new Map<string, number>(), new Map<string, number>()] as const;
  private readonly splitsNumbers: boolean;

  private ordinal = 0 as LocalOrdinal;
  private keyBase = 0;
  private emitted = 0;
  private table: 0 | 1 = FUZZY;
  /** Position counter of each field in the current document; valid where `stamps` has the current stamp. */
  private counters = new Int32Array(64);
  private wordCounts = new Int32Array(64);
  private stamps = new Uint32Array(64);
  private stamp = 0;
  private touched: FieldId[] = [];

  constructor(
    inverter: Inverter,
    tokenizer: Tokenizer,
    plans: FieldPlans,
    countTable: WordCountTable,
    settings: IndexSettings,
  ) {
    this.inverter = inverter;
    this.tokenizer = tokenizer;
    this.plans = plans;
    this.countTable = countTable;
    this.splitsNumbers = settings.typoTolerance.disableOnNumbers;
    const { classes, classifiesAll, isSymbol } = tokenizer.units;
    inverter.setRules({
      classes,
      classifiesAll,
      isSymbol,
      splitsNumbers: this.splitsNumbers,
      classify: this.classify,
    });
  }

  get heldBytes(): number {
    return (this.terms[FUZZY].size + this.terms[EXACT].size) * TERM_BYTES;
  }

  /** Resolves the plans of fields again, after their ids have changed. */
  replan(plans: FieldPlans): void {
    this.plans = plans;
  }

  /**
   * @param ordinal the number of the document within the segment
   */
  addDocument(ordinal: LocalOrdinal, document: JsonObject): void {
    this.ordinal = ordinal;
    this.stamp += 1;
    this.touched.length = 0;
    this.inverter.document(ordinal);
    for (const key in document) this.walk(document[key], this.plans.top(key));
    for (const fieldId of this.touched) this.countTable.add(fieldId, this.wordCounts[fieldId]!, ordinal);
  }

  /** Descends into objects and arrays; any other value is a visit. */
  private walk(value: unknown, plan: FieldPlan): void {
    if (typeof value !== 'object' || value === null || value instanceof LosslessFloat) {
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
      // A container under a key of an object is a visit of its own, before its content.
      const isContainer = typeof value === 'object' && value !== null && !(value instanceof LosslessFloat);
      if (isContainer && child.isSearchable) this.visit(null, child);
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
    this.counters[fieldId] = this.visitText(text, plan, counter);
    this.wordCounts[fieldId]! += this.emitted;
  }

  /** Returns the field's counter after the text; `emitted` is the number of its words. */
  private visitText(text: string, plan: FieldPlan, counter: number): number {
    const keyBase = plan.fieldId * POSITION_BOUND;
    const table = plan.isExact ? EXACT : FUZZY;
    const { units } = this.tokenizer;
    const allowsUnits = units.allows(plan.locales);
    let after = allowsUnits ? this.inverter.addText(text, table, keyBase, counter) : -1;
    let plain = text;
    if (after < 0) {
      plain = units.plainOf(text);
      if (allowsUnits && plain !== text) after = this.inverter.addText(plain, table, keyBase, counter);
    }
    if (after >= 0) {
      this.emitted = this.inverter.emitted;
      return after;
    }
    this.keyBase = keyBase;
    this.table = table;
    this.emitted = 0;
    return units.visitPlain(plain, counter, this.emit, plan.locales);
  }

  private readonly emit = (lemma: string, position: number, isSymbol: boolean): void => {
    const table = this.splitsNumbers && this.table === FUZZY && isNumeric(lemma) ? EXACT : this.table;
    let termId = this.terms[table].get(lemma) as TermId;
    if (termId === undefined) {
      termId = this.inverter.term(lemma, table);
      this.terms[table].set(lemma, termId);
    }
    // a symbol next to a word does not make its field longer
    if (!isSymbol) this.emitted += 1;
    this.inverter.add(termId, this.ordinal, this.keyBase + position);
  };

  private readonly classify = (word: string): ClassifiedWord => {
    const { kind, lemma } = this.tokenizer.units.classify(word);
    if (kind === 'hardSeparator') return { kind };
    if (kind === 'softSeparator' || lemma === null) return { kind: 'skipped' };
    if (kind !== 'word' || lemma === '') return { kind: 'unindexed' };
    return { kind: 'indexed', lemma, isNumeric: this.splitsNumbers && isNumeric(lemma) };
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

/** How one field is indexed. */
export interface FieldPlan {
  readonly fieldId: FieldId;
  readonly isSearchable: boolean;
  /** Words go to the exact table. */
  readonly isExact: boolean;
  readonly locales: readonly string[] | undefined;
  /** Plans of the direct child fields, by key. */
  readonly children: Map<string, FieldPlan>;
  readonly name: string;
}

/** Resolves each field's plan once: settings are matched by name, and documents only look plans up. */
export class FieldPlans {
  private readonly fields: FieldNames;
  private readonly settings: IndexSettings;
  private readonly byKey = new Map<string, FieldPlan>();

  constructor(fields: FieldNames, settings: IndexSettings) {
    this.fields = fields;
    this.settings = settings;
  }

  /** Plan of a top-level key, which must be a known field. */
  top(key: string): FieldPlan {
    let plan = this.byKey.get(key);
    if (plan === undefined) {
      plan = this.make(key);
      this.byKey.set(key, plan);
    }
    return plan;
  }

  child(parent: FieldPlan, key: string): FieldPlan {
    let plan = parent.children.get(key);
    if (plan === undefined) {
      plan = this.make(`${parent.name}.${key}`);
      parent.children.set(key, plan);
    }
    return plan;
  }

  private make(name: string): FieldPlan {
    return {
      name,
      fieldId: this.fields.add(name),
      isSearchable: isSearchableField(name, this.settings),
      isExact: isExactField(name, this.settings),
      locales: localesOf(name, this.settings),
      children: new Map(),
    };
  }
}
