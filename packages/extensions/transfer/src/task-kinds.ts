import type { TaskKind } from '@fossick/tasks';

export const TASK_KINDS: readonly TaskKind[] = [
  {
    type: 'export',
    takes: 'oldest',
    details: [
      { name: 'url' },
      { name: 'apiKey', member: 'shownApiKey', isOptional: true },
      { name: 'payloadSize', isOptional: true },
      { name: 'indexes' },
    ],
  },
];
