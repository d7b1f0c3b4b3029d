export {
  attemptAbandon, attemptEnd, attemptStart, heapAlloc, heapEndBytes, heapFree, heapFreeOwned, heapOwn, heapReset, heapShare, heapTotalBytes, heapUsedBytes,
  limitMemory, scratchAlloc, scratchMark, scratchRelease,
} from "./arena";
export {
  bitmapAnd, bitmapAndNot, bitmapClear, bitmapCopy, bitmapCount, bitmapHas, bitmapIntersectionCount,
  bitmapIsEmpty, bitmapIsSparse, bitmapMembers, bitmapNext, bitmapOr, bitmapScratch, bitmapSet, bitmapSetMany, bitmapSubtract, bitmapUnset,
} from "./bitmaps/bitmap";
export { poolCopy, poolEmpty, poolRelease, poolReleaseWithin, poolIntersection, poolNew, poolReserve } from "./bitmaps/bitmap-pool";
export { countGroups, firstEntry, nextGroup, orGroups, orListedGroups, presentGroups } from "./columns/columns";
export * from "./dictionaries/dictionary";
export { dictionaryBuilt, dictionaryBuiltBytes, writeTree as dictionaryBuild } from "./dictionaries/tree-writer";
export { gatherPositions, mergePostings } from "./postings/gather";
export {
  inverterAdd, inverterDocument, inverterEncode, inverterHeldBytes, inverterNew, inverterDocIds, inverterReset, inverterSort,
} from "./inverting/inverter";
export { pathsWalk, pathsWalkNext, pathsEnd, pathsForget, pathsNeeded, pathsNext, pathsResolve, pathsStart } from "./paths";
export { listDocCount as postingsDocCount } from "./postings/cursor";
export { orDocs, orDocsInFields, orListsDocs } from "./postings/postings";
export { nearDocsCount, nearLists } from "./postings/nearness";
export { near, sameField, scatterFields, scatterPositions } from "./postings/tables";
export { nearHalfIndexed, nearIndexed, nearWordsIndexed, orMasks, indexList, indexWords, scatterMasks } from "./postings/rank-indexed-list";
export { mergeTexts } from "./columns/merge-texts";
export { nearTexts } from "./columns/near-texts";
export { findTexts, isPlainText, textBound } from "./columns/texts";
export { countByDocument, entriesWithin, firstsBetween, gatherFirsts, gatherGroups, nextLiveDoc, forwardRowOf, toForward } from "./columns/forward-column";
export { scatterListFields, scatterListPositions } from "./postings/walk";
export {
  inverterAnswer, inverterClasses, inverterCounter, inverterEmitted, inverterProbe, inverterTerm, inverterUnits, inverterWalk,
  inverterWordEnd, inverterWordStart,
} from "./inverting/text-walk";
export { orWordsDocs, scatterWordsFields, wordsDocCount } from "./postings/word-range";
export { countVarints, readGroups, sumVarints } from "./varints";
export { mergedBytes, mergeWords } from "./postings/word-merge";
export { inverterDictionary, inverterDictionaryBytes, inverterLists, inverterOffsets, inverterTable } from "./inverting/word-tables";
export { graphAdopt, graphEnter } from "./vectors/graph-adopt";
export { graphInsert } from "./vectors/graph-build";
export { graphSearch, vectorSample, vectorScan, vectorScanWithin } from "./vectors/graph-search";
export { graphFree, graphNew, graphUpperCount } from "./vectors/graph";
export { vectorSetFree, vectorSetNew, vectorSetPut } from "./vectors/vector-set";
export { countBeside, windowAddStored, windowHeap, windowOr, wordsRange } from "./bitmaps/windows";
export {
  windowsAdd, windowsAddTable, windowsEnd, windowsFree, windowsNew, windowsOut, windowsOutBytes, windowsRecordBytes, windowsRecords, windowsTable, windowsTaken,
} from "./inverting/window-writer";
