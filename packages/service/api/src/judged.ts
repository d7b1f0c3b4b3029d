/** Searches whose hits people have judged: the file of them, and how good an order of hits is by it. For every platform. */
export { type JudgedFile, type JudgedSearch, meanOf, ndcg, parseJudged } from './relevance/judged-file.js';
