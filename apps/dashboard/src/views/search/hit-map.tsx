import { Button } from '@mantine/core';
import { useState } from 'react';
import type { Hit } from '../../api/types.js';
import { shapeOf } from '../../parts/hit-shape.js';
import { frameOf, pointOf } from './map-frame.js';
import world from './world.svg';

interface Props {
  readonly hits: readonly Hit[];
  readonly primaryKey: string | null;
}
/** Radius of a point, as a share of the width that is shown. */
const RADIUS = 0.008;

/** Where the hits of a page are, on an outline of the world that comes with this page: no map of others is loaded. */
export function HitMap({ hits, primaryKey }: Props) {
  const [isOpen, setOpen] = useState(false);
  const places = hits.flatMap((hit, at) => {
    const point = pointOf(hit);
    const { title } = shapeOf(hit, primaryKey);
    return point === null ? [] : [{ ...point, at, name: String(hit[title ?? primaryKey ?? ''] ?? `Hit ${at + 1}`) }];
  });
  if (places.length === 0) return null;
  const { x, y, width, height } = frameOf(places);
  return (
    <section aria-label="Map of the hits">
      <Button size="compact-sm" variant="light" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {isOpen ? 'Hide the map' : 'Show on a map'}
      </Button>
      {isOpen && (
        <svg
          viewBox={`${x} ${y} ${width} ${height}`}
          className="hit-map"
          role="img"
          aria-label={`Places of ${places.length} hits: ${places.map(({ name }) => name).join(', ')}`}
        >
          <image href={world} x={-180} y={-90} width={360} height={180} />
          {places.map((place) => (
            <circle key={place.at} cx={place.x} cy={place.y} r={width * RADIUS}>
              <title>{place.name}</title>
            </circle>
          ))}
        </svg>
      )}
    </section>
  );
}
