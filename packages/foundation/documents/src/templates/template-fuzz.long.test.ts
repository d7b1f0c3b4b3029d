import { expect, it } from 'vitest';
import { documentVariables, renderDocumentText } from './document-text.js';
import { HOSTILE_DOCUMENT, HOSTILE_TEMPLATES } from './hostile-templates.test-support.js';

/** Milliseconds of processor time of this process: what else the machine does is not in them. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

// the limit is two seconds of rendering; a busy machine may take several times as long for the rest
const GENEROUS_MS = 20_000;

it.each(HOSTILE_TEMPLATES)('a template ends in time: %s', (_, text) => {
  const startedMs = cpuMs();
  try {
    renderDocumentText(text, documentVariables(HOSTILE_DOCUMENT), 1_000_000);
  } catch (error) {
    expect((error as { readonly code?: string }).code).toMatch(/^template_/);
  }
  expect(cpuMs() - startedMs).toBeLessThan(GENEROUS_MS);
});
