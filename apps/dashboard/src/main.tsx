import './shell/styles.css';
import { MantineProvider } from '@mantine/core';
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
import { theme } from './shell/theme.js';

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
