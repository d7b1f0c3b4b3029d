import { OptionError } from '@fossick/instance';
import { describe, expect, it } from 'vitest';
import type { S3Options } from './options.js';
import { readTransferWords } from './options.test-support.js';

const read = (words: readonly string[], env: Record<string, string> = {}): S3Options =>
  readTransferWords(words, env).s3;

describe('the options of an object store', () => {
  it('are none at first: snapshots go to the folder', () => {
    expect(read([])).toEqual({
      bucket: null,
      prefix: '',
      region: null,
      endpoint: null,
      credentials: { from: 'environment' },
      inFlightParts: 4,
      partBytes: 16 << 20,
      compressionLevel: 0,
    });
  });

  it('are those of the reference, also as its variables', () => {
    const env = {
      MEILI_S3_BUCKET_URL: 'https://s3.example.com',
      MEILI_S3_BUCKET_REGION: 'eu-central-1',
      MEILI_S3_BUCKET_NAME: 'films',
      MEILI_S3_SNAPSHOT_PREFIX: 'copies',
      MEILI_S3_ACCESS_KEY: 'key',
      MEILI_S3_SECRET_KEY: 'secret',
      MEILI_EXPERIMENTAL_S3_MAX_IN_FLIGHT_PARTS: '10',
      MEILI_EXPERIMENTAL_S3_COMPRESSION_LEVEL: '6',
      MEILI_EXPERIMENTAL_S3_SIGNATURE_DURATION_SECONDS: '28800',
      MEILI_EXPERIMENTAL_S3_MULTIPART_PART_SIZE: '375 MiB',
    };
    expect(read([], env)).toEqual({
      bucket: 'films',
      prefix: 'copies',
      region: 'eu-central-1',
      endpoint: 'https://s3.example.com',
      credentials: { from: 'keys', accessKey: 'key', secretKey: 'secret' },
      inFlightParts: 10,
      partBytes: 375 << 20,
      compressionLevel: 6,
    });
  });

  it.each<[string[], string]>([
    [['--s3-bucket-region', 'x'], '--s3-bucket-region needs --s3-bucket-name'],
    [['--s3-access-key', 'a', '--s3-secret-key', 'b'], '--s3-access-key needs --s3-bucket-name'],
    [['--s3-bucket-name', 'films', '--s3-secret-key', 'b'], '--s3-access-key and --s3-secret-key go together'],
    [['--experimental-s3-max-in-flight-parts', '0'], 'would send nothing'],
    [['--experimental-s3-multipart-part-size', '4 MiB'], 'is not between 5 MiB and 5 GiB'],
    [['--experimental-s3-multipart-part-size', '6 GiB'], 'is not between 5 MiB and 5 GiB'],
    [['--experimental-s3-compression-level', '10'], 'is more than 9'],
  ])('%j are refused', (words, said) => {
    expect(() => read(words)).toThrow(OptionError);
    expect(() => read(words)).toThrow(said);
  });

  it('may be without a bucket for an import', () => {
    const words = ['--import-snapshot', 's3://films/a.snapshot', '--s3-access-key', 'a', '--s3-secret-key', 'b'];
    expect(read(words)).toMatchObject({ bucket: null, credentials: { from: 'keys' } });
  });
});
