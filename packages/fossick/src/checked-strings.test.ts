/** Texts that the types check: criteria of sorting and ranking rules. The compiler of the tests is the test. */
import { expectTypeOf, test } from 'vitest';
import type {
  DocumentsQuery,
  FacetParameters,
  Query,
  RankingRule,
  SearchParameters,
  Settings,
  SortCriterion,
} from './index.js';

interface Boat {
  readonly id: number;
  readonly length: number;
}

test('criteria have an attribute and a direction', () => {
  expectTypeOf<'length:asc'>().toExtend<SortCriterion>();
  expectTypeOf<'hull.colour:desc'>().toExtend<SortCriterion>();
  expectTypeOf<'_geoPoint(1.5, -2):asc'>().toExtend<SortCriterion>();

  expectTypeOf<'length'>().not.toExtend<SortCriterion>();
  expectTypeOf<'length:ascending'>().not.toExtend<SortCriterion>();
  expectTypeOf<'length asc'>().not.toExtend<SortCriterion>();
  expectTypeOf<string>().not.toExtend<SortCriterion>();
});

test('searches, queries and listings of documents take criteria', () => {
  type Sort = readonly SortCriterion[] | undefined;
  expectTypeOf<SearchParameters<Boat>['sort']>().toEqualTypeOf<Sort>();
  expectTypeOf<Query<Boat>['sort']>().toEqualTypeOf<Sort>();
  expectTypeOf<DocumentsQuery<Boat>['sort']>().toEqualTypeOf<Sort>();
  expectTypeOf<FacetParameters<Boat>>().not.toHaveProperty('sort');
});

test('ranking rules are known by name, or order by an attribute or a score', () => {
  expectTypeOf<Settings['rankingRules']>().toEqualTypeOf<readonly RankingRule[]>();
  expectTypeOf<'wordPosition'>().toExtend<RankingRule>();
  expectTypeOf<'length:desc'>().toExtend<RankingRule>();
  expectTypeOf<{ readonly score: string; readonly buckets: number }>().toExtend<RankingRule>();
  expectTypeOf<'Typo'>().not.toExtend<RankingRule>();
  expectTypeOf<'length'>().not.toExtend<RankingRule>();
  expectTypeOf<'desc(length)'>().not.toExtend<RankingRule>();
});
