import { contextLine, type Filter, type FilterNode, type FilterValue } from './tree.js';

export type GatedFeature = 'containsFilter' | 'multimodal' | 'foreignKeys' | 'network';
/** An operator that an experimental feature permits, and the context line that shows where it stands. */
export interface GatedUse {
  readonly feature: GatedFeature;
  readonly operator: string;
  readonly context: string;
}

/** Uses of feature-gated operators in the order of the text (spec 12 section 5.4). O(size). */
export function gatedUses(filter: Filter): GatedUse[] {
  const uses: GatedUse[] = [];
  const add = (feature: GatedFeature, token: FilterValue): void => {
    uses.push({ feature, operator: token.text, context: contextLine(filter.text, token.start, token.end) });
  };
  const walk = (node: FilterNode): void => {
    if (node.kind === 'and' || node.kind === 'or') node.items.forEach(walk);
    else if (node.kind === 'not') walk(node.item);
    else if (node.kind === 'contains') add('containsFilter', node.operator);
    else if (node.kind === 'vectors') add('multimodal', node.name);
    else if (node.kind === 'foreign') {
      add('foreignKeys', node.name);
      walk(node.condition);
    } else if ('field' in node && node.field.text === '_shard') add('network', node.field);
  };
  walk(filter.node);
  return uses;
}
