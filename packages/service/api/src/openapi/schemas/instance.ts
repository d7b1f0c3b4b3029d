import { objectSchema } from '@fossick/base/contract';
import { z } from 'zod';
import { LOG_LEVEL_BODY, LOG_STREAM_BODY } from '../../requests/instance/log-fields.js';
import { NETWORK_BODY } from '../../requests/instance/network-fields.js';
import { RENDER_BODY } from '../../requests/render-request.js';
import { INDEX_STATS, indexStats, statsQuery } from './indexes.js';
import { type AnswerOf, codesOf, type Operation, operationsOf, shows, text } from './operation.js';

const health = (status: number, says: string, word: string) => ({
  status,
  says,
  schema: z.strictObject({ status: z.literal(word) }),
  example: { status: word },
});

const secret = z.string().nullable();
const network = z.strictObject({
  self: z.string().nullable(),
  remotes: z.record(
    z.string(),
    z.strictObject({
      url: z.string(),
      searchApiKey: secret,
      writeApiKey: secret,
      status: z.enum(['available', 'unavailable']),
    }),
  ),
  shards: z.record(z.string(), z.strictObject({ remotes: z.array(z.string()) })),
  leader: z.null(),
  version: text('Of this object.'),
});
export type NetworkAnswer = AnswerOf<typeof network>;
const NETWORK = {
  self: 'ms-0',
  remotes: {},
  shards: {},
  leader: null,
  version: '00000000-0000-0000-0000-000000000000',
};

const size = z.union([z.int().min(0), z.string()]);
type Read = Omit<Operation, 'id' | 'method' | 'path' | 'tag' | 'errors'> & Partial<Pick<Operation, 'errors'>>;
/** An operation that reads; without an action it needs no key. */
const get = (id: string, path: string, read: Read) => ({ id, route: `GET ${path}` as const, ...read });
const page = (mediaType: string, says: string): Operation['answers'] => shows(says, z.string(), '', mediaType);

export const INSTANCE_OPERATIONS: readonly Operation[] = operationsOf({ tag: 'Instance' }, [
  get('getRoot', '/', {
    summary: 'A line that the server is there, or its dashboard',
    action: null,
    answers: [
      {
        status: 200,
        says: 'It is.',
        schema: z.strictObject({ status: z.string() }),
        example: { status: 'Fossick is running' },
        otherMediaType: 'text/html',
      },
    ],
  }),
  get('getDashboardFile', '/dashboard/{file}', {
    summary: 'A file of the dashboard',
    action: null,
    answers: [{ status: 200, says: 'The file.', schema: z.string(), mediaType: '*/*' }],
    errors: ['route_not_found'],
  }),
  get('getHealth', '/health', {
    summary: 'Whether the server is there',
    action: null,
    answers: [
      health(200, 'It is.', 'available'),
      health(500, 'It must be restarted.', 'mustRestart'),
      health(
        503,
        'A store is opened anew, because the disk failed to write the head of its file, or the log that this instance shares with others has not been heard of for longer than `fresh`.',
        'storeUnavailable',
      ),
    ],
    errors: ['bad_request'],
  }),
  get('getVersion', '/version', {
    summary: 'Version of the server',
    action: 'version',
    answers: shows(
      'The version.',
      z.strictObject({ commitSha: z.string(), commitDate: z.string(), pkgVersion: z.string() }),
      { commitSha: 'unknown', commitDate: 'unknown', pkgVersion: '1.57.0' },
    ),
  }),
  get('getStats', '/stats', {
    summary: 'What the instance holds',
    action: 'stats.get',
    answers: shows(
      'Figures of all indexes that the key may see.',
      z.strictObject({
        databaseSize: size,
        usedDatabaseSize: size,
        lastUpdate: z.string().nullable(),
        indexes: z.record(z.string(), indexStats),
      }),
      {
        databaseSize: 567,
        usedDatabaseSize: 333,
        lastUpdate: '2030-01-31T12:00:00Z',
        indexes: { movies: INDEX_STATS },
      },
    ),
    query: statsQuery,
    errors: codesOf('invalid_stats_'),
  }),
  get('getMetrics', '/metrics', {
    summary: 'Figures for Prometheus',
    action: 'metrics.get',
    answers: page('text/plain', 'The series.'),
    feature: 'metrics',
    errors: ['feature_not_enabled'],
  }),
  get('getUsageData', '/usage-data', {
    summary: 'What is counted of the use of this server',
    action: 'metrics.get',
    answers: shows(
      'What would be sent, and where to.',
      z.strictObject({ enabled: z.boolean(), sentTo: z.string().nullable(), bundle: z.looseObject({}).nullable() }),
      { enabled: true, sentTo: null, bundle: { system: { cores: 2 }, routes: {}, features: { 'search.q': 12 } } },
    ),
  }),
  get('getOpenApi', '/openapi.json', {
    summary: 'This document',
    action: null,
    answers: shows('The document.', z.looseObject({}), { openapi: '3.1.0' }),
  }),
  get('getReference', '/docs', {
    summary: 'This document, to read',
    action: null,
    answers: page('text/html', 'A page.'),
  }),
  get('getNetwork', '/network', {
    summary: 'The network of instances',
    action: 'network.get',
    answers: shows('The network.', network, NETWORK),
    feature: 'network',
    errors: ['feature_not_enabled'],
  }),
  {
    id: 'updateNetwork',
    route: 'PATCH /network',
    summary: 'Change the network of instances',
    action: 'network.update',
    feature: 'network',
    body: {
      schema: objectSchema(NETWORK_BODY),
      example: { self: 'ms-0', remotes: { 'ms-1': { url: 'http://ms-1.example.com' } } },
    },
    answers: shows('The network.', network, NETWORK),
    errors: codesOf('invalid_network_', 'missing_network_url', 'unexpected_network_', 'feature_not_enabled'),
  },
  {
    id: 'streamLogs',
    route: 'POST /logs/stream',
    summary: 'Listen to the log',
    action: 'metrics.get',
    feature: 'logsRoute',
    body: { schema: objectSchema(LOG_STREAM_BODY), example: { target: 'info', mode: 'human' } },
    answers: page('text/plain', 'Lines, until the listener leaves or its right ends.'),
    errors: ['feature_not_enabled', 'invalid_settings_typo_tolerance'],
  },
  {
    id: 'stopLogs',
    route: 'DELETE /logs/stream',
    summary: 'End the stream of the log',
    action: 'metrics.get',
    feature: 'logsRoute',
    answers: [{ status: 204, says: 'It has ended.' }],
    errors: ['feature_not_enabled'],
  },
  {
    id: 'setLogLevel',
    route: 'POST /logs/stderr',
    summary: 'Change how much of the log goes to the terminal',
    action: 'metrics.get',
    feature: 'logsRoute',
    body: { schema: objectSchema(LOG_LEVEL_BODY), example: { target: 'debug' } },
    answers: [{ status: 204, says: 'It is changed.' }],
    errors: ['feature_not_enabled'],
  },
  {
    id: 'renderTemplate',
    route: 'POST /render-template',
    summary: 'Try a template',
    action: 'settings.get',
    feature: 'renderRoute',
    body: {
      schema: objectSchema(RENDER_BODY),
      example: {
        template: { kind: 'inlineDocumentTemplate', inline: '{{doc.title}}' },
        input: { kind: 'inlineDocument', inline: { title: 'Nemo' } },
      },
    },
    answers: shows(
      'The template, and what it makes of the input.',
      z.strictObject({ template: z.unknown(), rendered: z.string().nullable() }),
      { template: '{{doc.title}}', rendered: 'Nemo' },
    ),
    errors: codesOf(
      'invalid_render_',
      'render_',
      'feature_not_enabled',
      'index_not_found',
      'invalid_index_uid',
      'vector_embedding_error',
    ),
  },
]);
