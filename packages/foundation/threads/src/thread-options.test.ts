import { describe, expect, it } from 'vitest';
import { threadOptions } from './watched-thread.js';

describe('threadOptions', () => {
  it('takes over the flags of the process but where a thread would not start with them', () => {
    expect(threadOptions(['--enable-source-maps'])).toEqual({});
    expect(threadOptions(['--input-type=module'])).toEqual({ execArgv: [] });
    expect(threadOptions(['--no-warnings', '--input-type', 'module'])).toEqual({ execArgv: [] });
  });
});
