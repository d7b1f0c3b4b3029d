import { describe, expect, it } from 'vitest';
import { parseS3Url } from './s3-url.js';

describe('the address of an object store', () => {
  it('has a bucket, a prefix, a region and an endpoint', () => {
    expect(parseS3Url('s3://films')).toEqual({
      bucket: 'films',
      prefix: '',
      region: null,
      endpoint: null,
      isPathStyle: false,
    });
    expect(parseS3Url('s3://My.films/a/b-c/?region=eu-central-1')).toEqual({
      bucket: 'My.films',
      prefix: 'a/b-c/',
      region: 'eu-central-1',
      endpoint: null,
      isPathStyle: false,
    });
    expect(parseS3Url('s3://films/main?endpoint=http%3A%2F%2F127.0.0.1%3A7070')).toEqual({
      bucket: 'films',
      prefix: 'main/',
      region: 'us-east-1',
      endpoint: 'http://127.0.0.1:7070',
      isPathStyle: true,
    });
    expect(parseS3Url('s3://films?endpoint=https://s3.example.com/store&pathStyle=false&region=x')).toMatchObject({
      endpoint: 'https://s3.example.com/store',
      isPathStyle: false,
      region: 'x',
    });
  });

  it.each([
    ['', 'begins with s3://'],
    ['films', 'begins with s3://'],
    ['s3:films', 'begins with s3://'],
    ['https://films', 'begins with s3://'],
    ['s3://', 'bucket'],
    ['s3://x', 'a bucket of at least two'],
    ['s3://key:hunter2@films', 'has no credentials'],
    ['s3://films?secret=hunter2', 'has the parameters region, endpoint, pathStyle only'],
    ['s3://films?pathStyle=hunter2', 'pathStyle=true'],
    ['s3://films?endpoint=hunter2', 'an endpoint like'],
    ['s3://films?endpoint=ftp://hunter2', 'an endpoint like'],
    ['s3://films?endpoint=http://key:hunter2@host', 'an endpoint without credentials'],
    ['s3://films/a//b', 'a prefix of names'],
    ['s3://films/a%20b', 'a prefix of names'],
    ['s3://films/.hidden', 'a prefix of names'],
  ])('%j is refused, and not repeated', (url, reason) => {
    const parse = (): unknown => parseS3Url(url);
    expect(parse).toThrow(TypeError);
    expect(parse).toThrow(reason);
    expect(parse).not.toThrow('hunter2');
  });
});
