import './shell/styles.css';
import { createTheme, Loader, type MantineColorsTuple, MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { QueryClientProvider } from '@tanstack/react-query';
import { setNonce } from 'get-nonce';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { Router } from 'wouter';
import { useHashLocation } from 'wouter/use-hash-location';
import { newQueryClient } from './api/queries.js';
import { guardUnsaved } from './parts/unsaved.js';
import { App } from './shell/app.js';

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

/** The button that closes it has only a cross. */
const CLOSED_BY_NAME = { defaultProps: { closeButtonProps: { 'aria-label': 'Close' } } };
const theme = createTheme({
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
  components: {
    Loader: Loader.extend({ defaultProps: { role: 'progressbar', 'aria-label': 'Loading' } }),
    Modal: CLOSED_BY_NAME,
    Drawer: CLOSED_BY_NAME,
  },
});

/** The nonce by which the page's policy allows style sheets that a component writes (docs/internals/decisions/dashboard.md). */
const styleNonce = document.querySelector<HTMLMetaElement>('meta[name="style-nonce"]')?.content ?? '';
setNonce(styleNonce);
guardUnsaved();

createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <MantineProvider theme={theme} defaultColorScheme="auto" getStyleNonce={() => styleNonce}>
      <QueryClientProvider client={newQueryClient()}>
        <Router hook={useHashLocation}>
          <Notifications position="bottom-right" limit={4} />
          <App />
        </Router>
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
);
