import type { IndexView } from '@fossick/index';
import type { Bitmap } from '@fossick/kernel';
import type { HeldMemory, HeldOnDemand } from '@fossick/kernel/memory';
import type { RankedPage } from '../ranking/bucket-sort.js';
import type { RankingRequest } from './ranking-request.js';

/** Rankings kept for one view: searches that wait for their vector at the same time. */
const KEPT_MAX = 16;
/** Rough bytes of a ranked document with its score details. */
const DOCUMENT_BYTES = 512;

interface KeptRanking {
  readonly page: Omit<RankedPage, 'candidates'>;
  readonly candidates: Uint32Array;
}

/** Keyword rankings of hybrid searches, from the look whether they suffice until the search itself, which takes them. */
class KeptRankings implements HeldMemory {
  private readonly onGrowth: (bytes: number) => void;
  readonly kind = 'answers';
  byteCount = 0;
  /** By request, the oldest first. */
  private readonly byKey = new Map<string, KeptRanking>();

  /** @param onGrowth called with every change of `byteCount` */
  constructor(onGrowth: (bytes: number) => void) {
    this.onGrowth = onGrowth;
  }

  put(key: string, ranking: KeptRanking): void {
    this.take(key);
    const [oldest] = this.byKey.keys();
    if (this.byKey.size >= KEPT_MAX && oldest !== undefined) this.take(oldest);
    this.byKey.set(key, ranking);
    this.grow(bytesOf(ranking));
  }

  take(key: string): KeptRanking | undefined {
    const ranking = this.byKey.get(key);
    if (ranking === undefined) return undefined;
    this.byKey.delete(key);
    this.grow(-bytesOf(ranking));
    return ranking;
  }

  free(): void {
    this.byKey.clear();
  }

  private grow(bytes: number): void {
    this.byteCount += bytes;
    this.onGrowth(bytes);
  }
}

const bytesOf = ({ page, candidates }: KeptRanking): number =>
  candidates.byteLength + page.documents.length * DOCUMENT_BYTES;

const rankingsByView = new WeakMap<IndexView, HeldOnDemand<KeptRankings>>();

/** Keeps a keyword ranking for the search of the same request on the same view, in this thread. O(documents / 32) */
export function keepRanking(view: IndexView, request: RankingRequest, page: RankedPage): void {
  const key = keyOf(view, request);
  if (key === null) return;
  let kept = rankingsByView.get(view);
  if (kept === undefined) {
    kept = view.holdings.onDemand(() => new KeptRankings((bytes) => view.memory.grow('answers', bytes)));
    rankingsByView.set(view, kept);
  }
  const { documents, isDegraded, candidates } = page;
  kept.load().put(key, { page: { documents, isDegraded }, candidates: view.kernel.bitmaps.bits(candidates) });
}

/** The ranking kept for the request, which is forgotten; its candidates are in scratch. Null: there is none. */
export function takeRanking(view: IndexView, request: RankingRequest): RankedPage | null {
  const kept = rankingsByView.get(view);
  const key = kept?.isLoaded === true ? keyOf(view, request) : null;
  const found = key === null ? undefined : kept?.load().take(key);
  if (found === undefined) return null;
  const { buffer, byteOffset, byteLength } = found.candidates;
  const candidates: Bitmap = view.kernel.bitmaps.create(view.bitCount);
  view.kernel.bitmaps.writeBits(candidates, 0, new Uint8Array(buffer, byteOffset, byteLength));
  return { ...found.page, candidates };
}

/**
 * Everything that a keyword ranking depends on besides the view; null where that is not all: foreign keys read other
 * indexes, and a rule that pins documents may begin or end between the two. What a ranking tells of itself is not kept either.
 */
function keyOf(view: IndexView, request: RankingRequest): string | null {
  const { startedMs: _, namesIndex: __, ruleBook, ...rest } = request;
  const isTimed = ruleBook?.rules.some(({ conditions }) => conditions.time !== undefined && conditions.time !== null);
  if (isTimed === true || request.explains === true || view.settings.foreignKeys.length > 0) return null;
  return JSON.stringify([rest, ruleBook?.rules ?? null, ruleBook?.limits ?? null]);
}
