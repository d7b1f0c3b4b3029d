import type { Guard } from '@fossick/instance/access';
import type { OpenExtension } from '@fossick/runtime/extension';
import fastify, { type FastifyInstance } from 'fastify';
import { registerErrors } from '../http/errors.js';
import { registerAdmissions } from './admissions.js';

/** A server of two routes, of which `/indexes` needs a key that may search, with the `admit` of an extension. */
export function admittingApp(
  admit: NonNullable<OpenExtension['admit']>,
  guard: Pick<Guard, 'authenticate' | 'authorize'>,
): FastifyInstance {
  const app = fastify();
  registerErrors(app);
  registerAdmissions(app, [admit], guard);
  app.get('/health', () => ({ status: 'available' }));
  app.route({
    method: ['GET', 'POST', 'DELETE'],
    url: '/indexes',
    handler: (request) => {
      guard.authorize(request.headers.authorization, 'search');
      return {};
    },
  });
  return app;
}
