import { Anchor, Breadcrumbs, Stack, Text, UnstyledButton } from '@mantine/core';
import type { FacetStep, Settings } from '../../api/types.js';

/** An attribute whose values are paths. */
export interface LevelsOfFacet {
  readonly attribute: string;
  readonly separator: string;
}

/** The filterable attributes whose values are paths. */
export function levelsIn(settings: Settings | undefined): readonly LevelsOfFacet[] {
  const facets = (settings?.['hierarchicalFacets'] ?? []) as readonly LevelsOfFacet[];
  const filterable = (settings?.filterableAttributes ?? []) as readonly (string | { attributePatterns: string[] })[];
  const names = filterable.flatMap((rule) => (typeof rule === 'string' ? [rule] : rule.attributePatterns));
  return facets.filter(({ attribute }) => names.includes(attribute) || names.includes('*'));
}

interface Props extends LevelsOfFacet {
  /** Right below the chosen path. */
  readonly steps: readonly FacetStep[];
  readonly under: string | null;
  readonly onChoose: (path: string | null) => void;
}

/** The steps of paths: each leads to those below it. */
export function Levels({ attribute, separator, steps, under, onChoose }: Props) {
  const chosen = under === null ? [] : under.split(separator);
  return (
    <fieldset className="facet">
      <legend>{attribute}</legend>
      {under !== null && (
        <Breadcrumbs separatorMargin={4} mb={6} aria-label={`Path in ${attribute}`}>
          <Anchor component="button" type="button" size="xs" onClick={() => onChoose(null)}>
            All
          </Anchor>
          {chosen.map((name, at) => {
            const path = chosen.slice(0, at + 1).join(separator);
            return at === chosen.length - 1 ? (
              <Text key={path} size="xs" fw={600}>
                {name}
              </Text>
            ) : (
              <Anchor key={path} component="button" type="button" size="xs" onClick={() => onChoose(path)}>
                {name}
              </Anchor>
            );
          })}
        </Breadcrumbs>
      )}
      <Stack gap={6}>
        {steps.map(({ path, name, count }) => (
          <div key={path} className="facet-value">
            <UnstyledButton fz="xs" onClick={() => onChoose(path)}>
              {name}
            </UnstyledButton>
            <span className="number quiet">{count.toLocaleString('en')}</span>
          </div>
        ))}
      </Stack>
    </fieldset>
  );
}
