import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { bytesOf } from '../object-bytes.js';
import { UnsafeStoreError } from '../port.js';
import { probeObjects } from '../probe.js';
import type { AttemptTiming } from './attempts.js';
import { S3Double, type S3Fault, type S3Operation } from './doubles/s3-double.test-support.js';
import { S3Error, type S3ErrorKind } from './s3-error.js';
import { PART_BYTES_MIN, S3Objects, type S3ObjectsOptions } from './s3-objects.js';

const TIMING: Partial<AttemptTiming> = { attempts: 3, pauseMs: 5 };
/** Of a connection on which nothing comes any more. Attempts do not count: a busy machine is silent for so long, too. */
const SILENCE: Partial<AttemptTiming> = {
  ...{ answerMs: 100, attempts: 100, pauseMs: 5 },
  deadline: () => new AbortController().signal,
};
const MANY = 64 << 20;
const some = Buffer.from('some bytes');

let double: S3Double;
/** Of the last attempt with `awaiting`. */
let attempt: AbortController;
/** Attempts have no time limit: the last one ends when its request has come and is not answered. */
const awaiting: Partial<AttemptTiming> = {
  ...TIMING,
  deadline: () => {
    attempt = new AbortController();
    return attempt.signal;
  },
};
beforeEach(async () => {
  double = await new S3Double().start();
});
afterEach(() => double.stop());

function open(options: Partial<S3ObjectsOptions> = {}): S3Objects {
  const { credentials } = double;
  const parts = { partBytes: PART_BYTES_MIN, inFlightParts: 2 };
  return new S3Objects({ location: double.location('p'), credentials, timing: TIMING, ...parts, ...options });
}

/** The first `times` requests of an operation have the fault. */
function fail(operation: S3Operation, fault: S3Fault, times = Number.POSITIVE_INFINITY): void {
  let left = times;
  double.faults.of = (request) => {
    if (request.operation !== operation || left-- <= 0) return undefined;
    if (fault.kind === 'late') setImmediate(() => attempt.abort(new DOMException('no answer', 'TimeoutError')));
    return fault;
  };
}

async function errorOf(work: Promise<unknown>): Promise<S3Error> {
  const thrown = await work.then(
    () => new Error('it did what it was asked for'),
    (error: unknown) => error,
  );
  expect(thrown).toBeInstanceOf(S3Error);
  return thrown as S3Error;
}

async function* chunks(count: number, bytes: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < count; at++) yield new Uint8Array(bytes).fill(at);
}
const joined = (count: number, bytes: number): Buffer =>
  Buffer.concat(Array.from({ length: count }, (_, at) => Buffer.alloc(bytes, at)));

describe('a request that fails', () => {
  it.each<[string, S3Fault]>([
    ['is refused', { kind: 'refused', status: 503, code: 'SlowDown' }],
    ['meets an error of the store', { kind: 'refused', status: 500, code: 'InternalError' }],
    ['meets a gateway', { kind: 'refused', status: 502 }],
    ['loses its answer', { kind: 'lost' }],
    ['is late', { kind: 'late' }],
  ])('because it %s is made again', async (_what, fault) => {
    const objects = open({ timing: awaiting });
    fail('put', fault, 2);
    expect(await objects.put('a', some)).toBe('put');
    expect(double.count('put')).toBe(3);
    fail('get', fault, 1);
    expect(Buffer.from(await bytesOf((await objects.get('a'))!, MANY))).toEqual(some);
    fail('list', fault, 1);
    const keys: string[] = [];
    for await (const { key } of objects.list('')) keys.push(key);
    expect(keys).toEqual(['a']);
    fail('delete', fault, 2);
    await objects.delete('a');
    expect(double.objects.size).toBe(0);
  });

  it('is given up after its attempts', async () => {
    fail('put', { kind: 'refused', status: 503, code: 'SlowDown' });
    const error = await errorOf(open().put('a', some));
    expect(error).toMatchObject({ kind: 'busy', isPassing: true });
    expect(error.message).toContain('status 503, SlowDown');
    expect(double.count('put')).toBe(3);
  });

  it('waits as long as the store asks for', async () => {
    fail('put', { kind: 'refused', status: 503, code: 'SlowDown', retryAfter: '1' }, 1);
    const pauses: number[] = [];
    await open({ timing: { ...TIMING, pause: async (ms) => pauses.push(ms) } }).put('a', some);
    expect(pauses).toEqual([1_000]);
  });

  it('says that nobody answers', async () => {
    const objects = open();
    await double.stop();
    const error = await errorOf(objects.put('a', some));
    expect(error).toMatchObject({ kind: 'unreachable', isPassing: true });
    expect(error.message).toMatch(/the object store at http:\/\/127\.0\.0\.1:\d+ does not answer \(ECONNREFUSED\)/);
    await double.start();
  });
});

describe('a create if absent', () => {
  it.each<[string, S3Fault]>([
    ['loses its answer', { kind: 'lost' }],
    ['is late', { kind: 'late' }],
    ['meets an error of the store', { kind: 'refused', status: 500, code: 'InternalError' }],
  ])('that %s is not made again, because its own object would be in its way', async (_what, fault) => {
    fail('put', fault, 1);
    await errorOf(open({ timing: awaiting }).put('a', some, { ifAbsent: true }));
    expect(double.count('put')).toBe(1);
  });

  it.each([
    ['SlowDown', 503],
    ['ConditionalRequestConflict', 409],
  ])('that was not done (%s) is made again', async (code, status) => {
    fail('put', { kind: 'refused', status, code }, 2);
    expect(await open().put('a', some, { ifAbsent: true })).toBe('put');
    expect(await open().put('a', some, { ifAbsent: true })).toBe('exists');
  });

  it.each<[boolean, S3Fault]>([
    [true, { kind: 'refused', status: 403, code: 'AccessDenied' }],
    [false, { kind: 'refused', status: 503, code: 'SlowDown' }],
    [false, { kind: 'refused', status: 500, code: 'InternalError' }],
  ])('says that nothing was put (%s) after %j', async (isUnwritten, fault) => {
    fail('put', fault);
    expect(await errorOf(open().put('a', some, { ifAbsent: true }))).toMatchObject({ isUnwritten });
    // an earlier attempt may have been done, or may still be
    const faults: S3Fault[] = [{ kind: 'lost' }, fault];
    double.faults.of = () => faults.shift() ?? fault;
    expect(await errorOf(open().put('b', some))).toMatchObject({ isUnwritten: false });
  });

  it('of a stream of several parts wins once, and leaves no upload', async () => {
    const outcomes = await Promise.all(
      [1, 2, 3].map(() => open().put('large', chunks(3, PART_BYTES_MIN), { ifAbsent: true })),
    );
    expect(outcomes.sort()).toEqual(['exists', 'exists', 'put']);
    expect(double.uploads.size).toBe(0);
  });

  it('is refused by the probe where several win or conditions are not known, and not because an answer is lost', async () => {
    double.faults.twoWin = true;
    await expect(probeObjects(open(), { key: 'probe/1' })).rejects.toThrow(/of 32 concurrent creates .* succeeded/);
    double.faults.twoWin = false;
    double.faults.ignoresConditions = true;
    const error = await probeObjects(open(), { key: 'probe/2' }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(UnsafeStoreError);
    expect(String(error)).toContain('of 32 concurrent creates of one object, 32 succeeded instead of 1');
    double.faults.ignoresConditions = false;
    fail('put', { kind: 'lost' }, 1);
    await errorOf(probeObjects(open(), { key: 'probe/3' }));
    await probeObjects(open(), { key: 'probe/4' });
  });
});

describe('a stream', () => {
  it('of several parts is uploaded in parts of one size, two at a time', async () => {
    let running = 0;
    let most = 0;
    double.faults.of = ({ operation }) => {
      if (operation === 'upload') most = Math.max(most, ++running);
      return operation === 'upload' ? { kind: 'slow', ms: 20 } : undefined;
    };
    const body = async function* (): AsyncGenerator<Uint8Array> {
      for await (const chunk of chunks(17, 1_000_003)) yield chunk;
    };
    expect(await open().put('large', body())).toBe('put');
    const sizes = double.requests.filter(({ operation }) => operation === 'upload').map(({ bytes }) => bytes);
    expect(sizes.sort((a, b) => b - a)).toEqual([
      ...Array(3).fill(PART_BYTES_MIN),
      17 * 1_000_003 - 3 * PART_BYTES_MIN,
    ]);
    expect(most).toBeGreaterThan(0);
    expect(double.objects.get('p/large')!.equals(joined(17, 1_000_003))).toBe(true);
    expect(double.uploads.size).toBe(0);
  });

  it('is read no further than parts are sent', async () => {
    let read = 0;
    let sent = 0;
    double.faults.of = ({ operation, bytes }) => {
      if (operation !== 'upload') return undefined;
      sent += bytes;
      return { kind: 'slow', ms: 30 };
    };
    let ahead = 0;
    const body = async function* (): AsyncGenerator<Uint8Array> {
      for (let at = 0; at < 80; at++) {
        read += 1 << 20;
        ahead = Math.max(ahead, read - sent);
        yield new Uint8Array(1 << 20);
      }
    };
    await open().put('large', body());
    expect(sent).toBe(80 << 20);
    // two parts on their way, one that is filled, a chunk
    expect(ahead).toBeLessThanOrEqual(3 * PART_BYTES_MIN + (2 << 20));
  });

  it.each<[string, () => AsyncIterable<Uint8Array>, (() => void) | undefined]>([
    [
      'breaks',
      async function* () {
        yield* chunks(2, PART_BYTES_MIN);
        throw new Error('the disk failed');
      },
      undefined,
    ],
    [
      'is refused in the middle',
      () => chunks(9, PART_BYTES_MIN),
      () => fail('upload', { kind: 'refused', status: 403, code: 'AccessDenied' }, 1),
    ],
    [
      'meets a store that goes away',
      () => chunks(9, PART_BYTES_MIN),
      () => fail('upload', { kind: 'refused', status: 503, code: 'SlowDown' }),
    ],
    [
      'is not completed',
      () => chunks(3, PART_BYTES_MIN),
      () => fail('complete', { kind: 'refused', status: 403, code: 'AccessDenied' }),
    ],
  ])('that %s leaves nothing', async (_what, body, prepare) => {
    prepare?.();
    await expect(open().put('large', body())).rejects.toThrow();
    expect(double.count('create')).toBe(1);
    expect([double.uploads.size, double.objects.size]).toEqual([0, 0]);
  });

  it('that a killed process had begun is aborted, and no other one', async () => {
    const hanging = open().put(
      'large',
      (async function* () {
        yield* chunks(2, PART_BYTES_MIN);
        await new Promise(() => undefined);
      })(),
    );
    hanging.catch(() => undefined);
    while (double.count('upload') < 1) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(double.uploads.size).toBe(1);
    await open().abortUploads('larg');
    await open().abortUploads('large/more');
    expect(double.uploads.size).toBe(1);
    await open().abortUploads('large');
    expect(double.uploads.size).toBe(0);
    fail('uploads', { kind: 'refused', status: 403, code: 'AccessDenied' });
    await open().abortUploads('large');
  });

  it('ends its source when the store refuses it', async () => {
    fail('create', { kind: 'refused', status: 403, code: 'AccessDenied' });
    let isClosed = false;
    const body = async function* (): AsyncGenerator<Uint8Array> {
      try {
        yield* chunks(9, PART_BYTES_MIN);
      } finally {
        isClosed = true;
      }
    };
    expect(await errorOf(open().put('large', body()))).toMatchObject({ kind: 'access', isPassing: false });
    expect(isClosed).toBe(true);
  });

  it('that is short is one request', async () => {
    await open().put('short', chunks(3, 10));
    await open().put('none', chunks(0, 0));
    expect(double.requests.map(({ operation, bytes }) => `${operation} ${bytes}`)).toEqual(['put 30', 'put 0']);
  });
});

describe('reading', () => {
  const large = Buffer.alloc(900_000, 'what is read ');

  it.each<S3Fault>([
    { kind: 'cut', afterBytes: 200_000 },
    { kind: 'stalled', afterBytes: 200_000 },
    { kind: 'cut', afterBytes: 0 },
  ])('goes on where the connection broke: %j', async (fault) => {
    const objects = open({ timing: fault.kind === 'stalled' ? SILENCE : TIMING });
    await objects.put('large', large);
    fail('get', fault, 2);
    expect(Buffer.from(await bytesOf((await objects.get('large'))!, MANY)).equals(large)).toBe(true);
    fail('get', fault, 2);
    const range = { start: 100_000, end: 600_000 };
    const part = Buffer.from(await bytesOf((await objects.get('large', range))!, MANY));
    expect(part.equals(large.subarray(100_000, 600_000))).toBe(true);
  });

  it('does not mix two objects of one key', async () => {
    await open().put('large', large);
    double.faults.of = ({ operation }) => (operation === 'get' ? { kind: 'cut', afterBytes: 200_000 } : undefined);
    const body = (await open().get('large'))!;
    double.faults.of = () => undefined;
    double.objects.set('p/large', Buffer.alloc(900_000, 'another'));
    await expect(bytesOf(body, MANY)).rejects.toThrow('an object was replaced or removed while it was read');
  });

  it('of nothing, and after the end, gives nothing', async () => {
    await open().put('a', some);
    const read = async (start: number, end: number): Promise<number | null> => {
      const body = await open().get('a', { start, end });
      return body === null ? null : (await bytesOf(body, MANY)).length;
    };
    expect([await read(3, 3), await read(10, 20), await read(9, 20)]).toEqual([0, 0, 1]);
    expect(await open().get('none', { start: 1, end: 1 })).toBeNull();
  });
});

describe('what a user has to do', () => {
  it('is said of a region that is nowhere', async () => {
    const location = { ...double.location(), region: null, endpoint: null };
    const kept = process.env;
    process.env = { PATH: kept['PATH'], AWS_CONFIG_FILE: '/dev/null', AWS_EC2_METADATA_DISABLED: 'true' };
    const error = await errorOf(open({ location }).get('a'));
    process.env = kept;
    expect(error).toMatchObject({ kind: 'setup', isPassing: false });
    expect(error.message).toContain('for example a region is missing');
  });

  it.each<[S3ErrorKind, string, S3Fault]>([
    ['credentials', 'no credentials that', { kind: 'refused', status: 403, code: 'SignatureDoesNotMatch' }],
    ['credentials', 'no credentials that', { kind: 'refused', status: 400, code: 'ExpiredToken' }],
    ['access', 'do not have the right', { kind: 'refused', status: 403, code: 'AccessDenied' }],
    ['bucket', 'no such bucket: the bucket films', { kind: 'refused', status: 404, code: 'NoSuchBucket' }],
    ['region', 'the region is not that of', { kind: 'refused', status: 301, code: 'PermanentRedirect' }],
    ['region', 'the region is not that of', { kind: 'refused', status: 400, code: 'AuthorizationHeaderMalformed' }],
    ['refused', 'NotImplemented', { kind: 'refused', status: 501, code: 'NotImplemented' }],
  ])('is said: %s, %s', async (kind, said, fault) => {
    fail('put', fault);
    const error = await errorOf(open().put('a', some));
    expect(error).toMatchObject({ kind, isPassing: false });
    expect(error.message).toContain(said);
    // what the store says may have secrets
    expect(error.message).not.toContain('a secret');
    expect(double.count('put')).toBe(1);
  });

  it('is said of a wrong key and a wrong bucket', async () => {
    const wrong = open({ credentials: { from: 'keys', accessKey: 'AKIAWRONG', secretKey: 'hunter2' } });
    const error = await errorOf(wrong.get('a'));
    expect(error).toMatchObject({ kind: 'credentials' });
    expect(JSON.stringify(error) + error.stack).not.toMatch(/AKIAWRONG|hunter2/);
    expect(error.cause).toBeUndefined();
    const elsewhere = open({ location: { ...double.location(), bucket: 'elsewhere' } });
    expect(await errorOf(elsewhere.get('a'))).toMatchObject({ kind: 'bucket' });
    expect(await errorOf(elsewhere.put('a', some))).toMatchObject({ kind: 'bucket' });
    expect(await errorOf(elsewhere.delete('a'))).toMatchObject({ kind: 'bucket' });
  });

  it('about a clock: nothing where the store says what time it is, otherwise to set it', async () => {
    double.faults.skewMs = 86_400_000;
    expect(await open().put('a', some)).toBe('put');
    double.faults.hidesTime = true;
    const error = await errorOf(open().put('a', some));
    expect(error.kind).toBe('clock');
    expect(error.message).toContain('the clock of this machine differs by more than 15 minutes');
  });
});
