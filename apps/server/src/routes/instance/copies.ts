import { authorize, type ServerContext } from '../../context.js';
import type { Router } from '../../http/router.js';
import { enqueue } from '../../tasks-wire.js';

/** Copies of the whole instance: dumps and snapshots. */
export function registerCopies(router: Router, context: ServerContext): void {
  router.on('POST', '/dumps', (request, reply) => {
    authorize(context, request, 'dumps.create');
    return enqueue(context, reply, { type: 'dumpCreation' });
  });
  router.on('POST', '/snapshots', (request, reply) => {
    authorize(context, request, 'snapshots.create');
    return enqueue(context, reply, { type: 'snapshotCreation' });
  });
}
