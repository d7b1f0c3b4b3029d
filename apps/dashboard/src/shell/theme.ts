import { createTheme, Loader, type MantineColorsTuple } from '@mantine/core';

const pine: MantineColorsTuple = [
  '#eaf7f3',
  '#d5ece5',
  '#a8d9ca',
  '#78c5ae',
  '#51b496',
  '#38aa87',
  '#279c79',
  '#178466',
  '#0f6b57',
  '#045443',
];

export const theme = createTheme({
  primaryColor: 'pine',
  colors: { pine },
  primaryShade: { light: 8, dark: 7 },
  defaultRadius: 'md',
  fontFamily: 'Inter, system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif',
  fontFamilyMonospace: 'ui-monospace, "SF Mono", "Cascadia Mono", "DejaVu Sans Mono", Menlo, monospace',
  headings: {
    fontWeight: '650',
    sizes: { h1: { fontSize: '1.5rem' }, h2: { fontSize: '1.15rem' }, h3: { fontSize: '1rem' } },
  },
  respectReducedMotion: true,
  cursorType: 'pointer',
  // a label alone is not allowed on an element without a role
  components: { Loader: Loader.extend({ defaultProps: { role: 'progressbar', 'aria-label': 'Loading' } }) },
});
