import { FEATURE_NAMES, ON_AT_FIRST } from '@fossick/api';
import { own } from '@fossick/base';
import { type InstanceValues, VALUE_NAMES } from './instance-values.js';

type Stored = Partial<Record<string, boolean>>;

/** The enabled experimental features: persistent, except those forced by the command line. */
export class Features {
  private readonly values: InstanceValues;
  private readonly on: Set<string>;
  private stored: Stored;
  private readonly listeners = new Set<() => void>();

  /** Names that extensions add. */
  readonly added: readonly string[];
  private readonly names: readonly string[];

  constructor(values: InstanceValues, forced: readonly string[], added: readonly string[] = []) {
    this.values = values;
    this.added = added;
    this.names = [...FEATURE_NAMES, ...added];
    this.stored = this.read();
    this.on = new Set([...this.names.filter((name) => isStoredOn(this.stored, name)), ...forced]);
    values.onChange(VALUE_NAMES.features, () => this.reload());
  }
  readonly isOn = (feature: string): boolean => this.on.has(feature);

  /** Calls `listener` after each change of a feature. */
  onChange(listener: () => void): Disposable {
    this.listeners.add(listener);
    return { [Symbol.dispose]: () => void this.listeners.delete(listener) };
  }

  all(): Readonly<Record<string, boolean>> {
    return Object.fromEntries(this.names.map((name) => [name, this.on.has(name)]));
  }
  /** Features of extensions that are left out keep what is stored. Throws the errors of the store or log. */
  async change(changes: Partial<Record<string, boolean | null>>): Promise<void> {
    const wanted = Object.entries(changes).filter((entry): entry is [string, boolean] => typeof entry[1] === 'boolean');
    await this.values.change(VALUE_NAMES.features, (stored) => ({
      ...(stored as Stored | undefined),
      ...this.all(),
      ...Object.fromEntries(wanted),
    }));
    // a forced feature that is switched off was off in the store already
    for (const [name, isOn] of wanted) this.set(name, isOn);
  }

  /** Takes over what has changed: features forced here stay on when another node stores its own. */
  private reload(): void {
    const before = this.stored;
    this.stored = this.read();
    for (const name of this.names) {
      const isOn = isStoredOn(this.stored, name);
      if (isOn !== isStoredOn(before, name)) this.set(name, isOn);
    }
  }

  private set(name: string, isOn: boolean): void {
    if (this.on.has(name) === isOn) return;
    if (isOn) this.on.add(name);
    else this.on.delete(name);
    for (const listener of [...this.listeners]) listener();
  }

  private read(): Stored {
    return (this.values.get(VALUE_NAMES.features) ?? {}) as Stored;
  }
}

/** The features that are enabled now, for a thread that does not change them. */
export function enabledFeatures(values: InstanceValues, forced: readonly string[]): Pick<Features, 'isOn'> {
  const stored = (values.get(VALUE_NAMES.features) ?? {}) as Stored;
  return { isOn: (feature) => forced.includes(feature) || isStoredOn(stored, feature) };
}

/** A database of an earlier release has no value for a newer feature. */
function isStoredOn(stored: Stored, name: string): boolean {
  return own(stored, name) ?? ON_AT_FIRST.includes(name);
}
