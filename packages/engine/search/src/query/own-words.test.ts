import type { SettingsPatch } from '@fossick/settings';
import { afterEach, expect, test } from 'vitest';
import { openScratchIndex, type ScratchIndex } from '../scratch-index.test-support.js';

let index: ScratchIndex;
afterEach(() => index.close());

/** Settings, texts of the documents 1, 2, ..., a query, and the documents that it finds. */
test.each<[SettingsPatch, string[], string, number[]]>([
  [{ stopWords: ['the'] }, ['The day', 'a day'], 'the day', [1, 2]],
  [{ stopWords: ['the'] }, ['The day', 'a day'], 'The day', [1, 2]],
  [{ stopWords: ['THE'] }, ['the day', 'a day'], 'tHe day', [1, 2]],
  [{ stopWords: ['a', 'la'] }, ['À LA carte', 'carte'], 'à la carte', [1, 2]],
  [{ stopWords: ['là', 'à'] }, ['a la carte', 'carte'], 'A La carte', [1, 2]],
  [{ stopWords: ['не'] }, ['НЕ знаю', 'знаю'], 'Не знаю', [1, 2]],
  [{ stopWords: ['Ο'] }, ['ο δρόμος', 'δρόμος'], 'Ό δρόμος', [1, 2]],
  [{ dictionary: ['C++'] }, ['C++ primer', 'the c++ book', 'C primer'], 'c++ ', [1, 2]],
  [{ dictionary: ['c++'] }, ['C++ primer', 'the c++ book', 'C primer'], 'C++ ', [1, 2]],
  [{ dictionary: ['J. R. R.'] }, ['j. r. r. tolkien', 'J. R. R. Tolkien', 'j tolkien'], 'J. r. R. ', [1, 2]],
  [{ dictionary: ['Café+'] }, ['CAFE\u0301+ one', 'cafe+ two', 'tea three'], 'café+ ', [1, 2]],
  [{ separatorTokens: ['x'] }, ['10X20', '10x30', '1020'], '10 ', [1, 2]],
  [{ separatorTokens: ['<BR>'] }, ['one<br>two', 'one<BR>three', 'onetwo'], 'one ', [1, 2]],
  [{ nonSeparatorTokens: ['＆'] }, ['R&D', 'r & d', 'r&d'], 'R&D ', [1, 3]],
  [{ separatorTokens: ['Q'], nonSeparatorTokens: ['q'] }, ['aQb', 'a b'], 'aqb ', [1]],
  [{ synonyms: { SOFÁ: ['Canapé'] } }, ['canape', 'CANAPÉ', 'sofa', 'chair'], 'sofa ', [1, 2, 3]],
  [{ synonyms: { Sofá: ['canapé'], sofa: ['Divan'] } }, ['canape', 'divan'], 'SOFA ', [1, 2]],
  [{ synonyms: { 'New York': ['NYC'] } }, ['nyc', 'paris'], 'NEW york ', [1]],
  [{ synonyms: { 'C++': ['cpp'] }, dictionary: ['C++'] }, ['cpp', 'c'], 'c++ ', [1]],
])('with %j, of %j `%s` finds %j', async (settings, texts, q, found) => {
  index = await openScratchIndex(
    texts.map((title, at) => ({ id: at + 1, title })),
    settings,
  );
  expect([...index.idsOf({ q, matchingStrategy: 'all' })].sort()).toEqual(found);
  for (const [key, value] of Object.entries(settings)) expect(index.settings()).toMatchObject({ [key]: value });
});
