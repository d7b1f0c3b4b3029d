/** What the compiled kernel exports, made of what the compiler says of it: `npm run bindings` writes this file. */
export interface KernelExports {
  readonly memory: { readonly buffer: ArrayBuffer };
  readonly attemptAbandon: () => void;
  readonly attemptEnd: () => void;
  readonly attemptStart: () => void;
  readonly heapAlloc: (n: number) => number;
  readonly heapEndBytes: () => number;
  readonly heapFree: (p: number) => void;
  readonly heapFreeOwned: (owner: number) => void;
  readonly heapOwn: (p: number) => void;
  readonly heapReset: () => void;
  readonly heapShare: (p: number) => void;
  readonly heapTotalBytes: () => number;
  readonly heapUsedBytes: () => number;
  readonly limitMemory: (bytes: number) => void;
  readonly scratchAlloc: (n: number) => number;
  readonly scratchMark: () => number;
  readonly scratchRelease: (mark: number) => void;
  readonly bitmapAnd: (target: number, other: number) => void;
  readonly bitmapAndNot: (target: number, other: number) => void;
  readonly bitmapClear: (bitmap: number) => void;
  readonly bitmapCopy: (source: number) => number;
  readonly bitmapCount: (bitmap: number) => number;
  readonly bitmapHas: (bitmap: number, bit: number) => number;
  readonly bitmapIntersectionCount: (a: number, b: number) => number;
  readonly bitmapIsEmpty: (bitmap: number) => number;
  readonly bitmapIsFew: (bitmap: number, most: number) => number;
  readonly bitmapMembers: (bitmap: number, skip: number, limit: number, out: number) => number;
  readonly bitmapNext: (bitmap: number, from: number) => number;
  readonly bitmapOr: (target: number, other: number) => void;
  readonly bitmapScratch: (bitCount: number) => number;
  readonly bitmapSet: (bitmap: number, bit: number) => void;
  readonly bitmapSetMany: (bitmap: number, docIds: number, count: number) => void;
  readonly bitmapTakeOut: (bitmap: number, part: number) => number;
  readonly bitmapUnset: (bitmap: number, bit: number) => void;
  readonly poolCopy: (pool: number, source: number) => number;
  readonly poolEmpty: (pool: number) => number;
  readonly poolRelease: (pool: number, bitmap: number) => void;
  readonly poolReleaseWithin: (pool: number, bitmap: number, within: number) => void;
  readonly poolMeet: (pool: number, a: number, b: number) => number;
  readonly poolNew: (bitCount: number) => number;
  readonly poolReserve: (pool: number, count: number) => void;
  readonly countGroups: (
    universe: number,
    deleted: number,
    offsets: number,
    docIds: number,
    from: number,
    to: number,
    counts: number,
  ) => void;
  readonly firstEntry: (universe: number, deleted: number, offsets: number, docIds: number, group: number) => number;
  readonly nextGroup: (
    universe: number,
    deleted: number,
    offsets: number,
    docIds: number,
    groupCount: number,
    from: number,
    step: number,
  ) => number;
  readonly orGroups: (
    target: number,
    offsets: number,
    docIds: number,
    from: number,
    to: number,
    universe: number,
    deleted: number,
  ) => void;
  readonly orListedGroups: (
    target: number,
    offsets: number,
    docIds: number,
    list: number,
    count: number,
    base: number,
    universe: number,
    deleted: number,
  ) => void;
  readonly presentGroups: (
    universe: number,
    deleted: number,
    offsets: number,
    docIds: number,
    from: number,
    to: number,
    step: number,
    limit: number,
    out: number,
  ) => number;
  readonly dictionaryBuilt: () => number;
  readonly dictionaryBuiltBytes: () => number;
  readonly dictionaryBuild: (pairs: number, count: number) => number;
  readonly gatherPositions: (pairs: number, listCount: number, universe: number) => number;
  readonly mergePostings: (pairs: number, listCount: number) => number;
  readonly inverterAdd: (self: number, term: number, key: number) => void;
  readonly inverterDocument: (self: number, ordinal: number) => void;
  readonly inverterEncode: (self: number, order: number, orderCount: number, offsets: number) => number;
  readonly inverterHeldBytes: (self: number) => number;
  readonly inverterNew: () => number;
  readonly inverterDocIds: (self: number, docIds: number) => void;
  readonly inverterReset: (self: number) => void;
  readonly inverterSort: (self: number) => void;
  readonly pathsCredit: (at: number, docs: number) => void;
  readonly pathsCreditNext: (at: number) => number;
  readonly pathsEnd: (at: number) => void;
  readonly pathsForget: (at: number, index: number) => void;
  readonly pathsNeeded: (at: number) => number;
  readonly pathsNext: (at: number) => number;
  readonly pathsResolve: (at: number, index: number, docs: number) => void;
  readonly pathsStart: (at: number) => void;
  readonly postingsDocCount: (list: number) => number;
  readonly orDocs: (target: number, list: number, deleted: number) => void;
  readonly orDocsInFields: (target: number, list: number, deleted: number, fields: number, fieldCount: number) => void;
  readonly orListsDocs: (target: number, pairs: number, listCount: number) => void;
  readonly meetingCount: (
    leftList: number,
    leftDeleted: number,
    rightList: number,
    rightDeleted: number,
    kind: number,
    limit: number,
  ) => number;
  readonly nearLists: (
    leftList: number,
    leftDeleted: number,
    rightList: number,
    rightDeleted: number,
    universe: number,
    kind: number,
    near1: number,
    near2: number,
    near3: number,
  ) => void;
  readonly near: (
    leftTable: number,
    rightTable: number,
    universe: number,
    near1: number,
    near2: number,
    near3: number,
  ) => void;
  readonly sameField: (leftTable: number, rightTable: number, universe: number, target: number) => void;
  readonly scatterFields: (table: number, universe: number, bitmaps: number, fieldCount: number) => void;
  readonly scatterPositions: (table: number, universe: number, bitmaps: number) => void;
  readonly nearHalfMasked: (
    list: number,
    deleted: number,
    maskedAt: number,
    maskedDeleted: number,
    isLeft: boolean | number,
    universe: number,
    kind: number,
    target1: number,
    target2: number,
    target3: number,
  ) => void;
  readonly nearMasked: (
    leftAt: number,
    leftDeleted: number,
    rightAt: number,
    rightDeleted: number,
    universe: number,
    kind: number,
    target1: number,
    target2: number,
    target3: number,
  ) => void;
  readonly nearWordsMasked: (
    lists: number,
    listCount: number,
    deleted: number,
    maskedAt: number,
    maskedDeleted: number,
    isLeft: boolean | number,
    universe: number,
    kind: number,
    target1: number,
    target2: number,
    target3: number,
  ) => void;
  readonly orMasks: (target: number, at: number, within: number, deleted: number, wanted: number) => void;
  readonly maskList: (
    at: number,
    docs: number,
    docCount: number,
    list: number,
    bitmaps: number,
    fieldCount: number,
  ) => void;
  readonly maskWords: (
    at: number,
    docs: number,
    docCount: number,
    lists: number,
    listCount: number,
    bitmaps: number,
    fieldCount: number,
  ) => void;
  readonly scatterMasks: (at: number, within: number, deleted: number, bitmaps: number) => void;
  readonly mergeTexts: (columns: number, columnCount: number, limit: number, out: number) => number;
  readonly nearTexts: (
    offsets: number,
    texts: number,
    from: number,
    count: number,
    query: number,
    queryCount: number,
    edits: number,
    lookCount: number,
    rangeCount: number,
    out: number,
  ) => void;
  readonly findTexts: (
    offsets: number,
    texts: number,
    list: number,
    count: number,
    base: number,
    inOffsets: number,
    inTexts: number,
    inCount: number,
    found: number,
  ) => void;
  readonly isPlainText: (from: number, end: number) => number;
  readonly textBound: (
    offsets: number,
    texts: number,
    from: number,
    to: number,
    key: number,
    keyBytes: number,
    isAfter: boolean | number,
  ) => number;
  readonly countByDocument: (forward: number, universe: number, deleted: number, counts: number) => void;
  readonly entriesWithin: (
    universe: number,
    deleted: number,
    offsets: number,
    docIds: number,
    groupCount: number,
    hits: number,
  ) => number;
  readonly firstsBetween: (
    forward: number,
    universe: number,
    deleted: number,
    seen: number,
    from: number,
    to: number,
    limit: number,
    firsts: number,
    out: number,
  ) => number;
  readonly gatherFirsts: (
    forward: number,
    universe: number,
    deleted: number,
    numberCount: number,
    isDescending: boolean | number,
    out: number,
  ) => number;
  readonly gatherGroups: (forward: number, universe: number, deleted: number, out: number) => number;
  readonly nextLiveDoc: (forward: number, universe: number, deleted: number, from: number) => number;
  readonly forwardRowOf: (forward: number, doc: number) => number;
  readonly toForward: (
    forward: number,
    numberOffsets: number,
    numberDocs: number,
    numberCount: number,
    stringOffsets: number,
    stringDocs: number,
    stringCount: number,
    entryCount: number,
    within: number,
  ) => void;
  readonly scatterListFields: (
    pairs: number,
    listCount: number,
    universe: number,
    bitmaps: number,
    fieldCount: number,
  ) => void;
  readonly scatterListPositions: (pairs: number, listCount: number, universe: number, bitmaps: number) => void;
  readonly inverterAnswer: (self: number, action: number) => number;
  readonly inverterClasses: (self: number, classCount: number, classifiesAll: number, splitsNumbers: number) => number;
  readonly inverterCounter: (self: number) => number;
  readonly inverterEmitted: (self: number) => number;
  readonly inverterProbe: () => number;
  readonly inverterTerm: (self: number, length: number, table: number) => number;
  readonly inverterUnits: (self: number, unitCount: number) => number;
  readonly inverterWalk: (self: number, unitCount: number, table: number, keyBase: number, counter: number) => number;
  readonly inverterWordEnd: (self: number) => number;
  readonly inverterWordStart: (self: number) => number;
  readonly orWordsDocs: (target: number, lists: number, listCount: number) => void;
  readonly scatterWordsFields: (lists: number, listCount: number, bitmaps: number, fieldCount: number) => void;
  readonly wordsDocCount: (lists: number, listCount: number) => number;
  readonly countVarints: (bytes: number, byteCount: number) => number;
  readonly readGroups: (bytes: number, byteCount: number, keys: number, offsets: number, docIds: number) => number;
  readonly sumVarints: (bytes: number, byteCount: number, out: number) => void;
  readonly mergedBytes: () => number;
  readonly mergeWords: (
    lists: number,
    listCount: number,
    first: number,
    docBound: number,
    fields: number,
    fieldCount: number,
  ) => number;
  readonly inverterDictionary: (self: number) => number;
  readonly inverterDictionaryBytes: (self: number) => number;
  readonly inverterLists: (self: number) => number;
  readonly inverterOffsets: (self: number) => number;
  readonly inverterTable: (self: number, table: number) => number;
  readonly graphAdopt: (source: number, target: number, targetNodes: number, from: number, to: number) => void;
  readonly graphEnter: (graph: number) => void;
  readonly graphInsert: (graph: number, to: number, breadth: number) => void;
  readonly graphSearch: (
    graph: number,
    query: number,
    wanted: number,
    startCount: number,
    docIds: number,
    within: number,
    without: number,
    visitsMax: number,
    out: number,
  ) => number;
  readonly vectorSample: (
    count: number,
    sampleCount: number,
    docIds: number,
    within: number,
    without: number,
  ) => number;
  readonly vectorScan: (
    vectors: number,
    count: number,
    query: number,
    wanted: number,
    docIds: number,
    within: number,
    without: number,
    out: number,
  ) => number;
  readonly vectorScanWithin: (
    vectors: number,
    count: number,
    query: number,
    wanted: number,
    docIds: number,
    within: number,
    without: number,
    vectorByDoc: number,
    firstDocId: number,
    documentCount: number,
    out: number,
  ) => number;
  readonly graphFree: (graph: number) => void;
  readonly graphNew: (vectors: number, degree: number, upperCapacity: number) => number;
  readonly graphUpperCount: (from: number, to: number) => number;
  readonly vectorSetFree: (set: number) => void;
  readonly vectorSetNew: (kind: number, dimCount: number, capacity: number) => number;
  readonly vectorSetPut: (set: number, index: number, from: number, count: number) => void;
  readonly countBeside: (bitmap: number, window: number) => number;
  readonly windowAddStored: (
    target: number,
    firstBit: number,
    from: number,
    bytes: number,
    within: number,
    without: number,
  ) => void;
  readonly windowHeap: (firstBit: number, bitCount: number) => number;
  readonly windowOr: (target: number, window: number, within: number, without: number) => void;
  readonly wordsRange: (lists: number, listCount: number, out: number) => void;
  readonly windowsAdd: (at: number, head: number, length: number, list: number) => void;
  readonly windowsAddTable: (at: number, inverterAt: number, wordCount: number, from: number, bytes: number) => number;
  readonly windowsEnd: (at: number) => void;
  readonly windowsFree: (at: number) => void;
  readonly windowsNew: (firstDoc: number, lastDoc: number, fieldCount: number) => number;
  readonly windowsOut: (at: number) => number;
  readonly windowsOutBytes: (at: number) => number;
  readonly windowsRecordBytes: (at: number) => number;
  readonly windowsRecords: (at: number) => number;
  readonly windowsTable: (at: number, table: number) => void;
  readonly windowsTaken: (at: number) => void;
  readonly dictionaryWork: () => number;
  readonly dictionaryFind: (dictionary: number, length: number) => number;
  readonly dictionaryCuts: (leftDictionary: number, rightDictionary: number, length: number) => number;
  readonly dictionaryPrefix: (dictionary: number, length: number) => number;
  readonly dictionaryWords: (dictionary: number, from: number, to: number) => number;
  readonly dictionaryFuzzy: (dictionary: number, length: number, typoBudget: number, prefix: number) => number;
  readonly dictionariesFuzzy: (area: number, count: number, length: number, budget: number, prefix: number) => number;
  readonly dictionariesFuzzyBytes: (count: number) => number;
}
