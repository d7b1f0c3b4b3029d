import { OptionError, OptionTable, OptionValues } from '@fossick/instance';
import { expect, it, test } from 'vitest';
import { readTraceOptions, TRACE_OPTIONS } from './options.js';

const valuesOf = (...flags: readonly string[]): OptionValues =>
  new OptionValues(
    new Map(flags.map((flag) => [flag, { text: 'true', origin: `--${flag}` }])),
    new OptionTable([TRACE_OPTIONS]),
  );

it('is off without --traces, whatever the environment says', () => {
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: 'no address', OTEL_TRACES_SAMPLER: 'sometimes' };
  expect(readTraceOptions(valuesOf('traces-texts'), env)).toBeNull();
});

it.each([{ OTEL_SDK_DISABLED: 'TRUE' }, { OTEL_TRACES_EXPORTER: 'none' }])('is off with %j', (env) => {
  expect(readTraceOptions(valuesOf('traces'), env)).toBeNull();
});

it('has the defaults of OpenTelemetry, also where variables are empty', () => {
  const env = { OTEL_TRACES_SAMPLER: ' ', OTEL_BSP_MAX_QUEUE_SIZE: '', OTEL_EXPORTER_OTLP_PROTOCOL: '' };
  expect(readTraceOptions(valuesOf('traces'), env)).toMatchObject({
    hasTexts: false,
    sampler: { kind: 'always_on', isParentBased: true, ratio: 1 },
    queue: {},
    files: { exporter: expect.stringContaining('exporter-trace-otlp-proto') },
  });
});

it('reads samplers, the queue and the protocol', () => {
  const env = {
    OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
    OTEL_TRACES_SAMPLER_ARG: '0.25',
    OTEL_BSP_MAX_QUEUE_SIZE: '100',
    OTEL_BSP_EXPORT_TIMEOUT: '500',
    OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
    OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/json',
  };
  expect(readTraceOptions(valuesOf('traces', 'traces-texts'), env)).toMatchObject({
    hasTexts: true,
    sampler: { kind: 'traceidratio', isParentBased: true, ratio: 0.25 },
    queue: { maxQueueSize: 100, exportTimeoutMillis: 500 },
    files: { exporter: expect.stringContaining('exporter-trace-otlp-http') },
  });
});

test.each([
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4318'],
  ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'ftp://collector/'],
  ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc'],
  ['OTEL_TRACES_EXPORTER', 'otlp,console'],
  ['OTEL_TRACES_SAMPLER', 'jaeger_remote'],
  ['OTEL_TRACES_SAMPLER', 'parentbased_'],
  ['OTEL_BSP_MAX_QUEUE_SIZE', '0'],
  ['OTEL_BSP_SCHEDULE_DELAY', '1.5'],
])('%s may not be %j, and the error names it', (name, value) => {
  const read = (): unknown => readTraceOptions(valuesOf('traces'), { [name]: value });
  expect(read).toThrow(OptionError);
  expect(read).toThrow(`${name}: \`${value}\` is not`);
});

test.each(['1.01', '-1', 'half'])('the share of a sampler may not be %s', (share) => {
  const env = { OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: share };
  expect(() => readTraceOptions(valuesOf('traces'), env)).toThrow('is not a number from 0 to 1');
});
