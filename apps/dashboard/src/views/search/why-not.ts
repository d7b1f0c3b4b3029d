/** Why a search does not answer a document that somebody expects in it. */
import type { GivenSearch } from '@fossick/api';
import { ApiFault } from '../../api/client.js';
import type { Document, SearchAnswer, Settings } from '../../api/types.js';
import { parametersOf } from '../../parts/search-options.js';
import { filterOf, HITS_PER_PAGE } from './search-request.js';
import type { SearchState } from './search-state.js';

/** One thing that a search requires of a document. */
export interface Finding {
  readonly isMet: boolean;
  readonly text: string;
}
type Ask = <T>(method: string, path: string, body?: unknown) => Promise<T>;
interface Place {
  readonly uid: string;
  readonly primaryKey: string;
  readonly settings: Settings;
}

/**
 * What a search requires of a document, and whether it has it: that it is there, passes each filter, has each word, and is among the hits that are counted.
 * `ask` sends a request and returns the answer. Sends one request, and one for each condition and each word.
 */
export async function whyNotFound(ask: Ask, place: Place, state: SearchState, id: string): Promise<readonly Finding[]> {
  const document = await documentOf(ask, place.uid, id);
  if (document === null) return [{ isMet: false, text: `There is no document ${id}.` }];
  const seen = new Seeker(ask, place, state, id, document);
  return [
    { isMet: true, text: `Document ${id} is there.` },
    ...(await seen.filters()),
    ...(await seen.words()),
    await seen.rank(),
  ];
}

async function documentOf(ask: Ask, uid: string, id: string): Promise<Document | null> {
  try {
    return await ask<Document>('GET', `/indexes/${encodeURIComponent(uid)}/documents/${encodeURIComponent(id)}`);
  } catch (fault) {
    if (fault instanceof ApiFault && (fault.status === 404 || fault.code === 'invalid_document_id')) return null;
    throw fault;
  }
}

class Seeker {
  private readonly ask: Ask;
  private readonly place: Place;
  private readonly state: SearchState;
  private readonly id: string;
  private readonly document: Document;
  private readonly path: string;

  constructor(ask: Ask, place: Place, state: SearchState, id: string, document: Document) {
    this.ask = ask;
    this.place = place;
    this.state = state;
    this.id = id;
    this.document = document;
    this.path = `/indexes/${encodeURIComponent(place.uid)}`;
  }

  async filters(): Promise<Finding[]> {
    const findings: Finding[] = [];
    for (const condition of filterOf(this.state)) {
      const body = { ids: [this.id], filter: [condition], limit: 1, fields: [this.place.primaryKey] };
      const { results } = await this.ask<{ results: unknown[] }>('POST', `${this.path}/documents/fetch`, body);
      const isMet = results.length > 0;
      const shown = Array.isArray(condition) ? condition.join(' OR ') : condition;
      findings.push({ isMet, text: `It ${isMet ? 'passes' : 'does not pass'} the filter ${shown}.` });
    }
    return findings;
  }

  /** Each word of the query alone: a search leaves words out from the end, so that the first one decides. */
  async words(): Promise<Finding[]> {
    const wanted = this.state.q.replaceAll(EXCLUDED, ' ');
    const words = wordsOf(wanted.replaceAll(PHRASE, ' '));
    const findings: Finding[] = [];
    const stopWords = this.listed('stopWords').map((word) => word.toLowerCase());
    for (const word of words) {
      if (stopWords.includes(word.toLowerCase())) {
        findings.push({ isMet: true, text: `“${word}” is a stop word, which searches pass over.` });
        continue;
      }
      const isMet = (await this.find({ q: word, matchingStrategy: 'all' })) !== null;
      findings.push({
        isMet,
        text: isMet ? `It has “${word}”.` : `It does not have “${word}”${this.elsewhere(word)}.`,
      });
    }
    if (words.length > 1 && findings.some(({ isMet }) => !isMet))
      findings.push({
        isMet: true,
        text: 'A search leaves out words from the end, if too few documents have all of them.',
      });
    for (const [, text] of wanted.matchAll(PHRASE)) {
      const isMet = await this.hasPhrase(text!);
      findings.push({ isMet, text: `It ${isMet ? 'has' : 'does not have'} “${text}” as it is written.` });
    }
    for (const [, , phrase, word] of this.state.q.matchAll(EXCLUDED)) {
      const text = phrase ?? word!;
      const isMet = !(await this.hasPhrase(text));
      findings.push({ isMet, text: `It ${isMet ? 'does not have' : 'has'} “${text}”, which the search excludes.` });
    }
    return findings;
  }
  private async hasPhrase(text: string): Promise<boolean> {
    return (await this.find({ q: `"${text}"`, matchingStrategy: 'all' })) !== null;
  }

  /** Its place among the hits of the whole search. */
  async rank(): Promise<Finding> {
    const { q, sort } = this.state;
    const found = await this.find({ q, filter: filterOf(this.state), ...(sort !== null && { sort: [sort] }) }, false);
    if (found !== null)
      return { isMet: true, text: `It is hit ${found + 1}, on page ${Math.floor(found / HITS_PER_PAGE) + 1}.` };
    const isFound = (await this.find({ q, filter: filterOf(this.state) })) !== null;
    return isFound
      ? { isMet: false, text: `It matches, but is not among the first ${this.most} hits, and no search answers more.` }
      : { isMet: false, text: 'The search does not find it.' };
  }

  /** The rank of the document from 0, or null. `isAlone`: among the documents that have its values, as far as the index filters by them. */
  private async find(search: GivenSearch, isAlone = true): Promise<number | null> {
    const { primaryKey } = this.place;
    const filter = [...((search.filter as unknown[] | undefined) ?? []), ...(isAlone ? this.own() : [])];
    const body = {
      ...parametersOf(this.state.options),
      ...search,
      ...{ filter, attributesToRetrieve: [primaryKey], limit: this.most },
    };
    const { hits } = await this.ask<SearchAnswer>('POST', `${this.path}/search`, body);
    const at = hits.findIndex((hit) => String(hit[primaryKey]) === this.id);
    return at < 0 ? null : at;
  }

  private get most(): number {
    const { maxTotalHits = 1_000 } = (this.place.settings.pagination ?? {}) as { readonly maxTotalHits?: number };
    return maxTotalHits;
  }
  private listed(name: string): string[] {
    const value = this.place.settings[name];
    return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
  }

  /** Conditions that the document itself meets, so that few others do. */
  private own(): string[] {
    return this.listed('filterableAttributes').flatMap((name) => {
      const value = this.document[name];
      if (typeof value === 'number') return [`${JSON.stringify(name)} = ${value}`];
      return typeof value === 'string' && value.trim() !== '' && value.length < MAX_VALUE_CHARS
        ? [`${JSON.stringify(name)} = ${JSON.stringify(value)}`]
        : [];
    });
  }

  /** That a word is in an attribute in which nothing is searched. */
  private elsewhere(word: string): string {
    const searchable = this.listed('searchableAttributes');
    if (searchable.includes('*')) return '';
    const names = Object.keys(this.document).filter(
      (name) =>
        !searchable.some((each) => name === each || name.startsWith(`${each}.`) || each.startsWith(`${name}.`)) &&
        JSON.stringify(this.document[name]).toLowerCase().includes(word.toLowerCase()),
    );
    return names.length === 0
      ? ''
      : ` where it is searched: it is in ${names.join(', ')}, not among the searchable attributes`;
  }
}
const MAX_VALUE_CHARS = 200;
const PHRASE = /"([^"]+)"/g;
/** A word or phrase that no hit has: `-wolves`, `-"grey wolves"`. */
const EXCLUDED = /(^|\s)-(?:"([^"]+)"|([^\s"]+))/g;

/** The words of a query, without signs. */
export function wordsOf(q: string): string[] {
  return q.match(/[\p{L}\p{N}\p{M}'’]+/gu) ?? [];
}
