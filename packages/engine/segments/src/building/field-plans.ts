import type { FieldId } from '@fossick/base';
import type { FieldNames } from '@fossick/documents';
import { type IndexSettings, isExactField, isSearchableField, localesOf } from '@fossick/settings/indexing';

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
