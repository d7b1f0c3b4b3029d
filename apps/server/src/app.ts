import type { IncomingMessage } from 'node:http';
import { unreachable } from '@fossick/base';
import fastify, { type FastifyInstance, LogController } from 'fastify';
import type { ServerContext } from './context.js';
import { registerAdmissions } from './extensions/admissions.js';
import { registerRequestNotes } from './extensions/request-notes.js';
import { registerAnswers } from './http/answers/answer-sending.js';
import { AnswerWatch } from './http/answers/answer-watch.js';
import { registerCompression } from './http/answers/compression.js';
import { answerHalfClosed } from './http/answers/half-closed.js';
import { takeOverBodies } from './http/bodies/body.js';
import { registerBodyIntake } from './http/bodies/body-intake.js';
import { BodyMemory } from './http/bodies/body-memory.js';
import { answerClientError } from './http/client-errors.js';
import { boundClosing } from './http/closing-connections.js';
import { registerCors } from './http/cors.js';
import { noRoute, registerErrors, sendError } from './http/errors.js';
import { treatUnknownMethods } from './http/methods.js';
import { repairPath } from './http/path.js';
import { RequestGate, registerGate } from './http/request-gate.js';
import { Router } from './http/router.js';
import { readTlsOptions, serveTlsSessions } from './http/tls.js';
import { registerDocumentsRead } from './routes/documents/documents-read.js';
import { registerDocumentsWrite } from './routes/documents/documents-write.js';
import { registerIndexes, registerIndexFields } from './routes/indexes/indexes.js';
import { registerSearchRules } from './routes/indexes/search-rules.js';
import { registerSettings } from './routes/indexes/settings.js';
import { registerExtensions } from './routes/instance/extensions.js';
import { registerHealth } from './routes/instance/health.js';
import { registerKeys } from './routes/instance/keys.js';
import { registerLogs } from './routes/instance/logs.js';
import { registerMcp } from './routes/instance/mcp.js';
import { registerMetrics, registerUsage } from './routes/instance/metrics.js';
import { registerNetwork } from './routes/instance/network.js';
import { registerDashboard } from './routes/pages/dashboard.js';
import { registerReference } from './routes/pages/reference.js';
import { registerMultiSearch } from './routes/searches/multi-search.js';
import { registerRenderTemplate } from './routes/searches/render-template.js';
import { registerSearch } from './routes/searches/search.js';
import { registerSimilar } from './routes/searches/similar.js';
import { registerTaskStreams } from './routes/tasks/task-streams.js';
import { registerTasks } from './routes/tasks/tasks.js';

/** Longest path parameter: long enough that our own validation refuses it, with its error code. */
const MAX_PARAM_CHARS = 10_000;

/** Builds the HTTP application; it does not listen. */
export function buildApp(context: ServerContext): FastifyInstance {
  const tls = context.options.tls === null ? null : readTlsOptions(context.options.tls);
  // without these, Fastify loads its schema compilers, a hundred modules; schemas are not used here
  const noSchemas = () => unreachable('a schema of a route' as never);
  const app = fastify({
    ...((tls === null ? {} : { http2: true, https: tls }) as object),
    // all lines go to the tap, which selects those for stderr and a listener
    logger: { level: 'trace', stream: context.logs },
    logController: new LogController({ disableRequestLogging: true }),
    // log lines of a request (faults only) name it themselves: no logger per request is needed
    childLoggerFactory: (logger) => logger,
    // each route reads its own body, with its own limit
    bodyLimit: Number.MAX_SAFE_INTEGER,
    keepAliveTimeout: 72_000,
    requestTimeout: 0,
    rewriteUrl: (raw) => repairPath(raw.url ?? '/'),
    schemaController: { compilersFactory: { buildValidator: noSchemas, buildSerializer: noSchemas } },
    routerOptions: { ignoreTrailingSlash: true, ignoreDuplicateSlashes: true, maxParamLength: MAX_PARAM_CHARS },
    frameworkErrors: (_error, request, reply) => {
      sendError(reply, noRoute(request.url));
    },
    clientErrorHandler: answerClientError,
  });
  if (context.options.tls !== null) serveTlsSessions(app.server, context.options.tls);
  treatUnknownMethods(app);
  answerHalfClosed(app);
  // first, so that a request waits in sight of its notes
  registerRequestNotes(app, context.extensions, context.ownConnection);
  registerGate(app, new RequestGate());
  takeOverBodies(app, context.options);
  boundClosing(app);
  const bodies = new BodyMemory(context.options.heldBodyBytes);
  registerBodyIntake(app, bodies);
  registerErrors(app);
  registerCors(app, context.options);
  const answers = new AnswerWatch(context.answerAccount);
  registerAnswers(app, answers, () => registerCompression(app));
  const onAnswered = recorderOf(context);
  // hooks of every request take a callback: a promise would cost more than most of them do
  app.addHook('onResponse', (request, reply, done) => {
    if (!context.ownConnection.has(request.raw.socket))
      onAnswered(request.raw, request.routeOptions.url, reply.statusCode, reply.elapsedTime);
    done();
  });
  // endless streams would keep a stopping server alive
  app.addHook('preClose', async () => {
    await Promise.all([context.logs.stop(), context.extensions.stop(), context.taskStreams.stop()]);
  });
  registerAdmissions(app, context.extensions.admissions, context.guard);
  const router = new Router(app);
  registerRoutes(router, context);
  registerExtensions(router, context);
  router.close();
  return app;
}

/** Registers every route of the API but those of extensions. A route reads what it needs of the context when it is called. */
export function registerRoutes(router: Router, context: ServerContext): void {
  const groups = [registerHealth, registerIndexes, registerSettings, registerDocumentsRead, registerDocumentsWrite];
  for (const register of [
    ...groups,
    registerDashboard,
    registerTasks,
    registerTaskStreams,
    registerSearch,
    registerSimilar,
    registerMultiSearch,
    registerKeys,
    registerSearchRules,
    registerIndexFields,
    registerNetwork,
    registerLogs,
    registerMetrics,
    registerReference,
    registerMcp,
    registerUsage,
    registerRenderTemplate,
  ])
    register(router, context);
}

/** Counts what is answered, and tells who listens to the log. */
function recorderOf({ metrics, usage, logs }: ServerContext) {
  return ({ method = '', url = '' }: IncomingMessage, path: string | undefined, status: number, ms: number): void => {
    if (path !== undefined) {
      metrics.request(method, path, status, ms / 1000);
      // requests without a route are not counted
      usage.counts?.request(method, path, status, ms);
    }
    logs.request(method, url, status, ms);
  };
}
