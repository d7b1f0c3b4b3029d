import { fileURLToPath } from 'node:url';
import { walkedParts } from '@fossick/server/spec-conformance/walk.test-support';
import { expect, it } from 'vitest';

/** The parts of 00-base.md about conversations. */
const PARTS = [
  'Authentication',
  'Authentication of chats',
  'Chat completions',
  'Chat message object',
  'Chat settings',
  'Chat tools',
  'Chat workspace',
  'Chats',
  'Events',
];

it('walks every part about conversations', () => {
  const parts = walkedParts(fileURLToPath(new URL('.', import.meta.url)));
  expect([...parts.keys()].sort()).toEqual(PARTS);
  expect([...parts].filter(([, count]) => count === 0)).toEqual([]);
});
