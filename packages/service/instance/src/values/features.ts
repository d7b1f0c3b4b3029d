import { FEATURE_NAMES, type FeatureName } from '@fossick/api';
import type { InstanceValues } from './instance-values.js';

/** The enabled experimental features: persistent, except those forced by the command line. */
export class Features {
  private readonly values: InstanceValues;
  private readonly on: Set<string>;

  constructor(values: InstanceValues, forced: readonly string[]) {
    this.values = values;
    const stored = (values.get('experimental-features') ?? {}) as Partial<Record<string, boolean>>;
    this.on = new Set([...FEATURE_NAMES.filter((name) => stored[name] === true), ...forced]);
  }
  readonly isOn = (feature: string): boolean => this.on.has(feature);

  all(): Record<FeatureName, boolean> {
    return Object.fromEntries(FEATURE_NAMES.map((name) => [name, this.on.has(name)])) as Record<FeatureName, boolean>;
  }
  change(changes: Partial<Record<string, boolean | null>>): void {
    for (const [name, isOn] of Object.entries(changes)) {
      if (isOn === true) this.on.add(name);
      else if (isOn === false) this.on.delete(name);
    }
    this.values.put('experimental-features', this.all());
  }
}
