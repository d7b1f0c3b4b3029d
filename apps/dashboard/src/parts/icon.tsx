import { ICON_SHAPES } from 'virtual:icon-shapes';
import { createElement } from 'react';
import type { IconName } from './icon-names.js';

/**
 * An icon of `size` pixels in the colour of the surrounding text. It is hidden from screen readers, because text next to it
 * says the same.
 */
export function Icon({ name, size = 18 }: { readonly name: IconName; readonly size?: number }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth={2}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      className="icon"
    >
      {ICON_SHAPES[name]?.map(([element, attributes], at) => createElement(element, { key: at, ...attributes }))}
    </svg>
  );
}
