/** Every limit that several packages must agree on, each with its derivation. */

/** Bytes of an index uid: the spec enforces 400, so that a uid fits a key of the store with its prefix. */
export const MAX_INDEX_UID_BYTES = 400;
/** Bytes of a document id: the longest that fits into a key of the store. */
export const MAX_DOCUMENT_ID_BYTES = 511;
/** Distinct field names of one index, nested paths included: field ids are u16 and 65535 means "none". */
export const MAX_FIELD_COUNT = 65_535;
/** Words of one attribute that are indexed: positions are u16. */
export const MAX_ATTRIBUTE_WORD_COUNT = 65_535;
/** Bytes of an indexed word; longer words are not searchable. */
export const MAX_WORD_BYTES = 250;
/** Bytes of a facet value kept for filtering: longer strings are truncated. */
export const MAX_FACET_VALUE_BYTES = 468;
/** Word counts of attributes are stored up to this one: an attribute of more words is never equal to a query of ten. The spec's, on disk. */
export const MAX_STORED_WORD_COUNT = 30;
/** Bytes of a request body after decompression, unless the operator says otherwise: 100 MB. */
export const DEFAULT_PAYLOAD_BYTES = 100_000_000;
/**
 * Bytes of the answer of another instance, unless the operator says otherwise: 64 MiB, which are 1,000 hits (the default of
 * `pagination.maxTotalHits`) of 64 KiB. It is in memory about three times, as bytes, text and objects.
 */
export const DEFAULT_REMOTE_ANSWER_BYTES = 64 * 2 ** 20;
/** Bytes of JSON text that can be parsed at once: V8's longest string, 2^29 - 24 characters. */
export const MAX_JSON_TEXT_BYTES = 2 ** 29 - 24;
/**
 * Bytes of the body of a request that only reads, unless the operator says otherwise: 10,000 queries of a kilobyte, or a hundred vectors
 * of 4,096 numbers.
 */
export const DEFAULT_READ_PAYLOAD_BYTES = 10_000_000;
/**
 * Entries of an archive that is imported: ten thousand indexes are some forty thousand, and every waiting addition has one. A
 * million take minutes to unpack.
 */
export const MAX_ARCHIVE_ENTRIES = 1_000_000;
/** Results of a page when the client names no limit. */
export const DEFAULT_PAGE_LIMIT = 20;
/** Bytes of a master key below which a production server refuses to start: 128 bits. */
export const MIN_MASTER_KEY_BYTES = 16;
/**
 * Bytes of a crop marker or highlight tag: far more than markup takes, and little enough that a field of 65,535 words, each of them between
 * two tags, stays below the longest string that the runtime knows (some 512 million characters).
 */
export const MAX_MARKER_BYTES = 1_024;
/**
 * Levels of arrays and objects in JSON that comes from outside, documents and bodies alike. What reads it calls itself level by level, and
 * the stack is not the client's to fill; the parser of the reference ends at the same level.
 */
export const MAX_JSON_DEPTH = 127;
/**
 * Lists, objects and members together in a JSON body that is read at once: the parser takes 0.3 to 1 microsecond for each, so 0.1 to 0.4 s
 * for all, while nobody else has a turn. Ten megabytes may hold three million. Documents are read in pieces and have no such limit.
 */
export const MAX_JSON_PARTS = 400_000;
/**
 * Values of the media of all searches of a request, each list, object, member and item counted: a search thread checks a long body, and the
 * thread of requests then parses it again, within 100 ms although each member may have a name of its own. Pictures are long texts, not many values.
 */
export const MAX_MEDIA_VALUES = 50_000;
/**
 * Values of a body that manages an instance (keys, network, rules, indexes, swaps and the like), counted as those of media: they are parsed and
 * checked in the thread of requests.
 */
export const MAX_MANAGEMENT_VALUES = 50_000;
/** Embedders of one index. */
export const MAX_EMBEDDER_COUNT = 256;

/**
 * Conditions of one filter in all, blank items of its arrays included: one costs up to 10 µs to read and evaluate on a hundred thousand
 * documents, so this many stay at about 200 ms.
 */
export const MAX_FILTER_CONDITIONS = 20_000;
/** Conditions along one row of connectives: what reads and evaluates them calls itself for each. */
export const MAX_FILTER_ROW = 2_000;
/**
 * Values of all `IN` lists of one filter together. Lists of ids grow long with good reason; reading and looking up this many takes about
 * a quarter of a second, outside of the thread that speaks HTTP.
 */
export const MAX_FILTER_VALUES = 1_000_000;

/**
 * Milliseconds for which one request may read one commit of an index. Pages that the commit needs are not written to until then, so that
 * the file grows with every other commit. The longest page of documents that may be asked for (100,000 of them, 256 MiB) takes some
 * seconds, and searches end at their cutoff: a minute is for a machine that is ten times slower.
 */
export const MAX_VIEW_MS = 60_000;

/**
 * Share of the memory that the process may use, of its control group or the machine, for searches when nothing is said, and bounds of it.
 * The file of an index is read through the system's cache, which has to have room in addition to it. One search for four of the most frequent words
 * takes some 85 bytes for each document of an index: the upper bound is for ten million documents and two such searches; 128 MiB hold what a hundred
 * thousand documents need.
 */
export const SEARCH_MEMORY_SHARE = 1 / 8;
export const MIN_DEFAULT_SEARCH_BYTES = 128 * 2 ** 20;
export const MAX_DEFAULT_SEARCH_BYTES = 3 * 2 ** 29;

/**
 * What searches use of their limit: this many bytes, or this many for each document of the open indexes where that is more. At a million documents of the bench of growth
 * 300 MiB answer as fast as 800 (docs/internals/decisions/memory.md).
 */
export const USUAL_SEARCH_BYTES = 400 * 2 ** 20;
export const USUAL_SEARCH_BYTES_PER_DOCUMENT = 400;

/**
 * Share of the memory that the process may use for answers that their clients have not read yet when nothing is said, and bounds of it. The upper
 * bound is what lets a process stay below 800 MB with what the making of large answers takes besides, the lower one holds two thousand ordinary
 * pages. An answer that is alone may be longer (MAX_ANSWER_BYTES).
 */
export const ANSWERS_MEMORY_SHARE = 1 / 8;
export const MIN_DEFAULT_ANSWERS_BYTES = 128 * 2 ** 20;
export const MAX_DEFAULT_ANSWERS_BYTES = 288 * 2 ** 20;

/**
 * Open streams of tasks and batches: a page or two of each operator, and some programs. A stream whose client does not
 * read keeps one bit for each task that changes, 125 KB for a million tasks.
 */
export const MAX_TASK_STREAMS = 100;
/** Seconds of silence in such a stream: proxies commonly end connections after 30 to 60 s without a byte. */
export const STREAM_KEEP_ALIVE_SECONDS = 15;

/**
 * Bytes of the results of one answer: what is more is refused with the code of its limit. An answer is made in one piece, so that it is of
 * one commit, and waits in memory until its client has taken it; V8 holds no text much longer.
 */
export const MAX_ANSWER_BYTES = 256 * 2 ** 20;

/**
 * Bytes of the JSON text of an edit's context: a hundred thousand ids of forty characters. Every listing of tasks shows the whole context, and a
 * text of this length is written within some twenty milliseconds.
 */
export const MAX_EDIT_CONTEXT_BYTES = 4 * 2 ** 20;

/**
 * Items of a list of a request that names attributes, facets or criteria. An index may have 65,535 fields, but nobody names them one by one;
 * this many names are read, checked and matched against the fields within tens of milliseconds.
 */
export const MAX_NAMES = 10_000;
/**
 * Different entries of the `sort` of a listing of documents, repeated ones not counted: people sort by two or three. Each may divide all
 * documents of the page once more.
 */
export const MAX_DOCUMENT_SORT_ENTRIES = 100;
/** UTF-16 units of the name and of the description of a key, which people read; every key is in memory, and listings show all of it. */
export const MAX_KEY_TEXT_UNITS = 65_536;
/** UTF-16 units of an address that an operator configures, and of the key that belongs to it: what servers commonly take of a request line. */
export const MAX_URL_UNITS = 8_192;
/** Bytes of all headers that an operator configures for one receiver: what Node takes of a whole head. */
export const MAX_CONFIGURED_HEADER_BYTES = 16_384;
/** Instances of a network, and shards: all are read and written as one object, and asked with every search over the network. */
export const MAX_REMOTES = 1_000;
/** UTF-16 units of the name of an instance or shard. */
export const MAX_REMOTE_NAME_UNITS = 512;
/** Fields that a listing names, dotted paths included: an index has no more. */
export const MAX_LISTED_FIELDS = MAX_FIELD_COUNT;
/** Ids of documents that one request looks up: some microseconds each. */
export const MAX_LISTED_IDS = 100_000;
/** Errors of skipped documents that a task lists in its details: some 20 KB of text. */
export const LISTED_TASK_ERRORS = 100;
/** Errors of skipped documents that are kept for a task; others are only counted. A tenth of a load of a million documents. */
export const MAX_TASK_ERRORS = 100_000;
/** Characters of these errors in all: 8 MiB, which compress to less than a tenth, so that a record of a shared log can have them. */
export const MAX_TASK_ERROR_BYTES = 8 * 2 ** 20;
/** Errors of skipped documents in one answer: one stored page of them. */
export const MAX_LISTED_TASK_ERRORS = 1_000;
/** Numbers of a vector in a request: embedders give a few thousand at most. */
export const MAX_VECTOR_NUMBERS = 65_536;
/** Searches of one multi-search: reading that many takes about 100 ms, then others get their turn in between. */
export const MAX_MULTI_SEARCH_QUERIES = 10_000;
/**
 * UTF-16 units of a query that are looked at, a thousand words of sixteen: the first thousand tokens count, and words
 * beyond 250 bytes are not indexed. What follows only shows in the answer.
 */
export const MAX_QUERY_UNITS = 16_384;
/** Words and phrases of one of the settings stopWords, dictionary, synonyms and tokens: half a million takes seconds to be made ready. */
export const MAX_SETTING_WORDS = 500_000;
/**
 * Attributes, patterns and rules that one setting lists: an index has no more fields. Only requests of clients are held to this and to
 * the next limits of settings: copies and databases of earlier releases keep what they have.
 */
export const MAX_SETTING_ATTRIBUTES = MAX_FIELD_COUNT;
/** Ranking rules of an index, each of which splits every bucket of the one before it: people write about ten. */
export const MAX_RANKING_RULES = 1_000;
/** Words that the `typoTolerance` of one request takes as they are: each is tokenised for the request. */
export const MAX_REQUEST_WORDS = 1_000;
/** Attributes that one request weighs: each distinct weight is a bitmap of the documents for each term. */
export const MAX_REQUEST_WEIGHTS = 100;
/**
 * Words and phrases that `maxQueryWords` may ask for. The ranking rules walk a graph whose size grows with the square of the words: on
 * 36,000 films a sentence takes up to 112 ms of processor time, in a search thread (docs/reference/search-options.md). People paste a sentence, not a page.
 */
export const MAX_QUERY_WORDS = 32;
/** Alternatives of a boolean query, after brackets are multiplied out: each is ranked as a search of its own. */
export const MAX_QUERY_ALTERNATIVES = 16;
/** Brackets inside brackets of a boolean query: people write two or three. */
export const MAX_QUERY_DEPTH = 16;
/**
 * Words that a boolean query excludes, those of phrases counted one by one. Each is looked up once for all alternatives. A plain query has
 * room for 333 of them in its first thousand tokens.
 */
export const MAX_EXCLUDED_WORDS = 500;
/** Groups of a page: the hits of each are ranked on their own, in about a millisecond. */
export const MAX_GROUPS = 100;
/** Hits of all groups of a page: as many as a page of a plain search usually has at most. */
export const MAX_GROUP_HITS = 1_000;
/** Fields of which a search computes sums and histograms: each walks the values of its field. */
export const MAX_AGGREGATIONS = 20;
/** Values for each of which sums and histograms are computed: each costs as much as a facet count. */
export const MAX_AGGREGATION_GROUPS = 100;
/** Buckets of the histograms of one field, those of all its groups included: charts have some dozens. */
export const MAX_AGGREGATION_BUCKETS = 10_000;
/** Characters of the expression of one score rule: the longest that people write by hand are a few hundred. */
export const MAX_SCORE_LENGTH = 1_000;
/** Numbers, fields and functions of one score: each costs about 5 ns for a document, so a million documents take half a second. */
export const MAX_SCORE_NODES = 100;
/** Levels of brackets and functions of one score: what reads and evaluates them calls itself for each. */
export const MAX_SCORE_DEPTH = 30;
/** Fields that one score reads: each takes 8 bytes for each candidate while the search runs. */
export const MAX_SCORE_FIELDS = 10;
/** Score rules of one list of ranking rules: each may evaluate all candidates of a search. */
export const MAX_SCORE_RULES = 10;
/** Buckets of a score rule: with more of them there is hardly a difference to the exact order. */
export const MAX_SCORE_BUCKETS = 1_000;
/** Patterns of localizedAttributes in all, and locales of one rule: each search without `locales` matches all of them with all fields. */
export const MAX_LOCALE_PATTERNS = 1_000;
/**
 * UTF-16 units of one template, some ten pages of text: parsing takes up to 8 microseconds for each, so a quarter of a second, and the
 * parsed form has a hundred times their size.
 */
export const MAX_TEMPLATE_UNITS = 32_768;
/** UTF-16 units of all templates of one request or of the embedders of one index: eight of the longest, which are parsed in two seconds. */
export const MAX_TEMPLATES_UNITS = 8 * MAX_TEMPLATE_UNITS;
/** Templates of one request: each string of a fragment is one, and takes some 50 microseconds however short it is. */
export const MAX_TEMPLATE_COUNT = 4_096;

const INDEX_UID = /^[A-Za-z0-9_-]+$/;
/**
 * Bytes of a message to the Model Context Protocol: what the public SDK takes as well. A model writes the arguments of a tool word by
 * word, and documents by the million go through their own route.
 */
export const MAX_MCP_MESSAGE_BYTES = 4 << 20;
/** Bytes of the answer of one tool: some 250,000 tokens, more than models read at once. Writing it twice as JSON takes 10 ms. */
export const MAX_MCP_ANSWER_BYTES = 1 << 20;
/** Messages of one batch, which only version 2025-03-26 of the protocol has: their answers are in memory together. */
export const MAX_MCP_BATCH = 20;
/** Documents of one foreign index that the foreign conditions of a filter may match together: those of Meilisearch 1.53. */
export const MAX_FOREIGN_DOCUMENTS = 1_000;

/** Whether `uid` names an index: 1 to 400 of `A-Z a-z 0-9 _ -`. */
export function isIndexUid(uid: string): boolean {
  return uid.length <= MAX_INDEX_UID_BYTES && INDEX_UID.test(uid);
}
