import { isJsonObject, toSearchRequest } from '@fossick/api';
import { ApiError } from '@fossick/base';
import { parseWithIntegers } from '@fossick/documents';
import type { Access } from '@fossick/instance/access';
import { needsNoEmbedding, type RenderedHits, ruleBookOf, type SearchContext } from '@fossick/search-service';
import { resolvedChat } from '@fossick/settings';
import { SEARCH_TOOL, type ToolCall } from '../provider/special-tools.js';
import type { FacetHints, FacetValues } from './facet-hints.js';
import type { SearchLanes } from './search-lanes.js';
import type { DescribedIndex } from './search-tool.js';

/** Indexes that are described to a model; more would distract it. */
const MAX_INDEXES = 200;
/** Facets per index, values per facet, and characters per value in the description for the model. */
const [MAX_FACETS, MAX_VALUES, MAX_VALUE_CHARS] = [30, 10, 60];

export interface SearchBounds {
  /** Documents of one search. */
  readonly documents: number;
  /** Bytes of their texts. */
  readonly textBytes: number;
}
/** What all conversations share. */
export interface SharedSearching {
  readonly context: SearchContext;
  readonly bounds: SearchBounds;
  readonly lanes: SearchLanes;
  readonly hints: FacetHints;
}
/** The result of a call of the search tool. `documents` is null if there was no search. */
export interface CallOutcome {
  readonly text: string;
  readonly documents: readonly unknown[] | null;
}

/** An invalid call of the model; it gets the error, and may call again. */
class CallError extends Error {}

/** The searches of one conversation: in the indexes that its caller may search, with the caller's rights. */
export class IndexSearches {
  private readonly context: SearchContext;
  private readonly shared: SharedSearching;
  private readonly access: Access;
  private readonly uids: readonly string[];

  /** @param access of the caller to the action `search` */
  constructor(shared: SharedSearching, access: Access) {
    const { context } = shared;
    this.context = context;
    this.shared = shared;
    this.access = access;
    const open = context.engine.indexes().filter(({ uid }) => access.allowsIndex(uid));
    this.uids = open.slice(0, MAX_INDEXES).map(({ uid }) => uid);
  }

  /** The indexes with their descriptions for the model; facet values are those of documents that the caller may see. */
  async describe(): Promise<DescribedIndex[]> {
    const described: DescribedIndex[] = [];
    for (const uid of this.uids) {
      const facets = await this.facets(uid).catch((error: unknown) => {
        // the index was deleted, or too many searches wait: the description has no values
        if (error instanceof ApiError) return NO_VALUES;
        throw error;
      });
      if (this.context.engine.index(uid) === undefined) continue;
      const { description } = resolvedChat(this.context.engine.settings(uid).chat);
      described.push({ uid, description, facets });
    }
    return described;
  }

  /** Runs a call of the model. An invalid call is a result as well. */
  async run({ function: { name, arguments: text } }: ToolCall): Promise<CallOutcome> {
    try {
      if (name !== SEARCH_TOOL) throw new CallError(`There is no function \`${name}\`.`);
      return await this.search(readArguments(text));
    } catch (error) {
      if (error instanceof CallError || error instanceof ApiError)
        return { text: `Error: ${error.message}`, documents: null };
      throw error;
    }
  }

  private async search({ indexUid, q, filter }: SearchArguments): Promise<RenderedHits> {
    const { engine, features, queryVectors } = this.context;
    // an index that the caller may not search is treated as unknown
    if (!this.access.allowsIndex(indexUid) || engine.index(indexUid) === undefined)
      throw new CallError(`There is no index \`${indexUid}\`. There are: ${this.uids.join(', ')}.`);
    const chat = resolvedChat(engine.settings(indexUid).chat);
    const { searchParameters, documentTemplate: template, documentTemplateMaxBytes: templateBytesMax } = chat;
    const { documents, textBytes } = this.shared.bounds;
    const limit = Math.min(searchParameters.limit ?? documents, documents);
    const body = { ...searchParameters, q, filter, limit } as Parameters<typeof toSearchRequest>[0];
    const plain = toSearchRequest(body, this.access.tenantFilter(indexUid), features);
    const isSpared = needsNoEmbedding(this.context, this.access, indexUid, (job) => this.shared.lanes.run(job));
    const request = await queryVectors.embedded(plain, undefined, () => engine.settings(indexUid), isSpared);
    const [ruleBook, { scope }] = [ruleBookOf(this.context), this.access];
    const { value: bytes } = await this.shared.lanes.run({
      kind: 'rendered',
      indexUid,
      request,
      template,
      templateBytesMax,
      textBytes,
      ruleBook,
      scope,
    });
    return parseWithIntegers(bytes.toString(), BigInt) as RenderedHits;
  }

  private async facets(indexUid: string): Promise<FacetValues> {
    const { engine, features } = this.context;
    const { filterableAttributes, foreignKeys } = engine.settings(indexUid);
    if (filterableAttributes.length === 0) return NO_VALUES;
    const filter = this.access.tenantFilter(indexUid);
    const look = async (): Promise<FacetValues> => {
      const request = toSearchRequest({ limit: 0, facets: ['*'] }, filter, features);
      const { scope } = this.access;
      const job = { kind: 'search', indexUid, request, extras: NO_EXTRAS, ruleBook: null, scope } as const;
      const { facetDistribution = {} } = JSON.parse((await this.shared.lanes.run(job)).value.toString()) as FacetAnswer;
      const entries = Object.entries(facetDistribution).slice(0, MAX_FACETS);
      return new Map(entries.map(([name, counts]) => [name, valuesOf(counts)]));
    };
    // with foreign keys the filter of a token may use other indexes, which change independently
    if (foreignKeys.length > 0 && filter !== null) return look();
    const { createdAt, updatedAt } = engine.index(indexUid)!;
    return this.shared.hints.of(JSON.stringify([indexUid, createdAt, updatedAt, filterableAttributes, filter]), look);
  }
}

interface FacetAnswer {
  readonly facetDistribution?: Readonly<Record<string, Readonly<Record<string, number>>>>;
}
interface SearchArguments {
  readonly indexUid: string;
  readonly q: string | null;
  readonly filter: unknown;
}
const NO_VALUES: FacetValues = new Map();
const NO_EXTRAS = { withMetadata: false, withPerformanceDetails: false, hydrates: false, inlineUid: null };

function valuesOf(counts: Readonly<Record<string, number>>): string[] {
  const short = Object.keys(counts).filter((value) => value.length <= MAX_VALUE_CHARS);
  return short.slice(0, MAX_VALUES).map((value) => JSON.stringify(value));
}

/** Parses the arguments of a model's call: a JSON object. @throws CallError */
function readArguments(text: string): SearchArguments {
  let given: unknown;
  try {
    given = JSON.parse(text);
  } catch (error) {
    throw new CallError(`The arguments are no JSON: ${(error as Error).message}.`);
  }
  if (!isJsonObject(given)) throw new CallError('The arguments have to be an object.');
  const { index_uid, indexUid = index_uid, q = null, filter = null } = given;
  if (typeof indexUid !== 'string') throw new CallError('`index_uid` has to be the uid of an index.');
  if (q !== null && typeof q !== 'string') throw new CallError('`q` has to be a string.');
  if (filter !== null && typeof filter !== 'string' && !Array.isArray(filter))
    throw new CallError('`filter` has to be a filter expression.');
  return { indexUid, q, filter: typeof filter === 'string' && filter.trim() === '' ? null : filter };
}
