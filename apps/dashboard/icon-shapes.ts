import { icons } from '@iconify-json/lucide';
import type { Plugin } from 'vite';
import { ICON_NAMES } from './src/parts/icon-names.js';

const MODULE_ID = 'virtual:icon-shapes';
const ELEMENT = /<(path|circle|rect|line|polyline|polygon|ellipse)\s([^>]*?)\/>/g;
/** Attributes that the drawing component sets. */
const SHARED = /^(fill|stroke|stroke-width|stroke-linecap|stroke-linejoin)$/;

/** Provides the shapes of the icons that the page names, as data: no icon is ever parsed as HTML. */
export function iconShapes(): Plugin {
  return {
    name: 'icon-shapes',
    resolveId: (id) => (id === MODULE_ID ? `\0${MODULE_ID}` : undefined),
    load(id) {
      if (id !== `\0${MODULE_ID}`) return undefined;
      const shapes = Object.fromEntries(ICON_NAMES.map((name) => [name, shapesOf(name)]));
      return `export const ICON_SHAPES = ${JSON.stringify(shapes)};`;
    },
  };
}

function shapesOf(name: string): [string, Record<string, string>][] {
  const alias = icons.aliases?.[name]?.parent ?? name;
  const body = icons.icons[alias]?.body;
  if (body === undefined) throw new Error(`There is no icon \`${name}\`.`);
  return [...body.matchAll(ELEMENT)].map(([, element = '', text = '']) => {
    const attributes = [...text.matchAll(/([\w-]+)="([^"]*)"/g)].map(([, key = '', value = '']) => [key, value]);
    return [element, Object.fromEntries(attributes.filter(([key = '']) => !SHARED.test(key)))];
  });
}
