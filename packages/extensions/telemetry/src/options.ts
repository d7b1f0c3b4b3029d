import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Environment, flagOption, OptionError, type OptionGroup, type OptionValues } from '@fossick/instance';

export const TRACE_OPTIONS: OptionGroup = {
  title: 'Traces',
  options: [
    flagOption('traces', 'send traces of requests and batches to an OpenTelemetry collector'),
    flagOption('traces-texts', 'write query texts and full addresses into them'),
  ],
};

const SAMPLERS = ['always_on', 'always_off', 'traceidratio'] as const;
type SamplerKind = (typeof SAMPLERS)[number];

/** What the SDK is made of. Its exporter reads the variables of the endpoint, headers, time limit and compression itself. */
export interface TraceOptions {
  /** Whether query texts and full addresses are written. */
  readonly hasTexts: boolean;
  /** Which traces that begin here are sent; of those that callers began, the ones that they sample, where `isParentBased`. */
  readonly sampler: { readonly kind: SamplerKind; readonly isParentBased: boolean; readonly ratio: number };
  /** Of the queue of finished spans; what is undefined has the default of the SDK. */
  readonly queue: {
    readonly scheduledDelayMillis?: number;
    readonly exportTimeoutMillis?: number;
    readonly maxQueueSize?: number;
    readonly maxExportBatchSize?: number;
  };
  /** The files of the SDK and of the exporter. */
  readonly files: { readonly sdk: string; readonly exporter: string };
}

const EXPORTERS: Readonly<Record<string, string>> = {
  'http/protobuf': '@opentelemetry/exporter-trace-otlp-proto',
  'http/json': '@opentelemetry/exporter-trace-otlp-http',
};
const SDK = '@opentelemetry/sdk-trace';
/** What both ask for; the SDK finds it by itself. */
const API = '@opentelemetry/api';

/** Null: no traces. Throws OptionError for variables of OpenTelemetry that cannot be used, and for packages that are not installed. */
export function readTraceOptions(values: OptionValues, env: Environment): TraceOptions | null {
  if (!values.has('traces')) return null;
  // an empty variable is an absent one
  const read = (name: string): string | undefined => env[name]?.trim() || undefined;
  if (read('OTEL_SDK_DISABLED')?.toLowerCase() === 'true') return null;
  const kinds = (read('OTEL_TRACES_EXPORTER') ?? 'otlp').split(',').map((kind) => kind.trim());
  if (kinds.includes('none')) return null;
  if (kinds.some((kind) => kind !== 'otlp')) throw wrong('OTEL_TRACES_EXPORTER', read, 'otlp or none');
  for (const name of ['OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'])
    if (!isHttpUrl(read(name) ?? 'http://localhost')) throw wrong(name, read, 'an address: http://collector:4318');
  return {
    hasTexts: values.has('traces-texts'),
    sampler: readSampler(read),
    queue: readQueue(read),
    files: findPackages(read),
  };
}

type Read = (name: string) => string | undefined;

function readSampler(read: Read): TraceOptions['sampler'] {
  const given = read('OTEL_TRACES_SAMPLER') ?? 'parentbased_always_on';
  const prefix = 'parentbased_';
  const isParentBased = given.startsWith(prefix);
  const kind = SAMPLERS.find((name) => name === (isParentBased ? given.slice(prefix.length) : given));
  if (kind === undefined)
    throw wrong('OTEL_TRACES_SAMPLER', read, `${SAMPLERS.join(', ')}, or one of them after ${prefix}`);
  const ratio = kind === 'traceidratio' ? Number(read('OTEL_TRACES_SAMPLER_ARG') ?? 1) : 1;
  if (!(ratio >= 0 && ratio <= 1)) throw wrong('OTEL_TRACES_SAMPLER_ARG', read, 'a number from 0 to 1');
  return { kind, isParentBased, ratio };
}

function readQueue(read: Read): TraceOptions['queue'] {
  const names = {
    scheduledDelayMillis: 'OTEL_BSP_SCHEDULE_DELAY',
    exportTimeoutMillis: 'OTEL_BSP_EXPORT_TIMEOUT',
    maxQueueSize: 'OTEL_BSP_MAX_QUEUE_SIZE',
    maxExportBatchSize: 'OTEL_BSP_MAX_EXPORT_BATCH_SIZE',
  };
  const entries = Object.entries(names).flatMap(([member, name]) => {
    const text = read(name);
    if (text === undefined) return [];
    const value = Number(text);
    if (!Number.isSafeInteger(value) || value < 1) throw wrong(name, read, 'a positive integer');
    return [[member, value] as const];
  });
  return Object.fromEntries(entries);
}

function findPackages(read: Read): TraceOptions['files'] {
  const variable = 'OTEL_EXPORTER_OTLP_TRACES_PROTOCOL';
  const name = read(variable) === undefined ? 'OTEL_EXPORTER_OTLP_PROTOCOL' : variable;
  const exporter = EXPORTERS[read(name) ?? 'http/protobuf'];
  if (exporter === undefined) throw wrong(name, read, Object.keys(EXPORTERS).join(' or '));
  const [sdkFile, exporterFile, apiFile] = [installed(SDK), installed(exporter), installed(API)];
  if (sdkFile === undefined || exporterFile === undefined || apiFile === undefined)
    throw new OptionError(
      `--traces needs packages of OpenTelemetry next to this one: npm install ${API} ${SDK} ${exporter}`,
    );
  return { sdk: sdkFile, exporter: exporterFile };
}

/** The file of a package that is installed next to this one, or by the running program. */
function installed(name: string): string | undefined {
  for (const from of [import.meta.url, pathToFileURL(join(process.cwd(), 'package.json')).href])
    try {
      return createRequire(from).resolve(name);
    } catch {
      // the next place may have it
    }
  return undefined;
}

function isHttpUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:/i.test(text);
}

function wrong(name: string, read: Read, wanted: string): OptionError {
  return new OptionError(`${name}: \`${read(name) ?? ''}\` is not ${wanted}`);
}
