import { describe, expect, it } from 'vitest';
import { fromMembers, inOrder, isIndexName, memberEntries, memberNames, withMembers } from './own-members.js';

describe('the order of members', () => {
  it.each([
    ['0', true],
    ['7', true],
    ['2024', true],
    ['4294967294', true],
    ['01', false],
    ['-1', false],
    ['1.5', false],
    ['1e3', false],
    ['', false],
    ['a1', false],
    ['12345678901', false],
  ])('%j is moved by objects: %j', (name, isMoved) => {
    expect(isIndexName(name)).toBe(isMoved);
    if (!isMoved) expect(Object.keys({ a: 1, [name]: 2 })).toEqual(['a', name]);
  });

  it('is that of the entries, of which the last of a name counts at the first place', () => {
    const object = fromMembers([
      ['b', 1],
      ['2', 2],
      ['a', 3],
      ['1', 4],
      ['b', 5],
    ]);
    expect(memberEntries(object)).toEqual([
      ['b', 5],
      ['2', 2],
      ['a', 3],
      ['1', 4],
    ]);
    expect(JSON.stringify(object)).toBe('{"1":4,"2":2,"b":5,"a":3}');
  });

  it('survives a spread, a removal and an addition', () => {
    const { a: _removed, ...rest } = fromMembers([
      ['z', 1],
      ['9', 2],
      ['a', 3],
      ['0', 4],
    ]);
    expect(memberNames({ ...rest, b: 5 })).toEqual(['z', '9', '0', 'b']);
  });

  it('of a merge keeps the places of what is replaced', () => {
    const before = fromMembers([
      ['z', 1],
      ['5', 2],
    ]);
    const added = fromMembers([
      ['9', 3],
      ['5', 4],
      ['a', 5],
      ['0', 6],
    ]);
    expect(memberEntries(withMembers(before, added))).toEqual([
      ['z', 1],
      ['5', 4],
      ['9', 3],
      ['a', 5],
      ['0', 6],
    ]);
    expect(memberNames(withMembers({ b: 1 }, { a: 2, b: 3 }))).toEqual(['b', 'a']);
  });

  it('is not noted where objects keep it', () => {
    const object = inOrder({ b: 1, a: 2 }, ['b', 'a']);
    expect(Object.getOwnPropertySymbols(object)).toEqual([]);
    expect(memberNames(object)).toEqual(['b', 'a']);
  });
});
