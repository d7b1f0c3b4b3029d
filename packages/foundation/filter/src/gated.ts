import type { Filter, FilterNode, FilterValue } from './tree.js';

export type GatedFeature = 'containsFilter' | 'multimodal' | 'foreignKeys' | 'network';
/** An operator that requires an experimental feature, and the context line that shows it. */
export interface GatedUse {
  readonly feature: GatedFeature;
  readonly operator: string;
  readonly context: string;
}

/** Words that occur in every filter with operators of a feature. */
const TELLING_WORDS: readonly (readonly [GatedFeature, string])[] = [
  ['containsFilter', 'CONTAINS'],
  ['multimodal', '_vectors'],
  ['foreignKeys', '_foreign'],
  ['network', '_shard'],
];

/**
 * False for a `filter` parameter that certainly uses no operator of a disabled feature, found without parsing: escapes
 * in a quoted name could hide a word. O(size), at the speed of a search in memory.
 */
export function mayBeGated(input: unknown, isOn: (feature: GatedFeature) => boolean): boolean {
  const words = TELLING_WORDS.filter(([feature]) => !isOn(feature)).map(([, word]) => word);
  if (words.length === 0) return false;
  const isTelling = (item: unknown): boolean =>
    typeof item === 'string' && (item.includes('\\') || words.some((word) => item.includes(word)));
  if (!Array.isArray(input)) return isTelling(input);
  return input.some((item) => (Array.isArray(item) ? item.some(isTelling) : isTelling(item)));
}

/** The first use, in the order of the text, of an operator of a disabled feature. O(size) */
export function firstGatedUse(filter: Filter, isOn: (feature: GatedFeature) => boolean): GatedUse | undefined {
  const find = (node: FilterNode): GatedUse | undefined => {
    const use = (feature: GatedFeature, token: FilterValue): GatedUse | undefined =>
      isOn(feature) ? undefined : { feature, operator: token.text, context: filter.contextOf(token) };
    switch (node.kind) {
      case 'and':
      case 'or':
        for (const item of node.items) {
          const found = find(item);
          if (found !== undefined) return found;
        }
        return undefined;
      case 'not':
        return find(node.item);
      case 'element':
        return find(node.condition);
      case 'contains':
        return use('containsFilter', node.operator);
      case 'vectors':
        return use('multimodal', node.name);
      case 'foreign':
        return use('foreignKeys', node.name) ?? find(node.condition);
      default:
        return 'field' in node && node.field.text === '_shard' ? use('network', node.field) : undefined;
    }
  };
  return find(filter.node);
}
