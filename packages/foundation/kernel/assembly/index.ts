export {
  attemptAbandon, attemptEnd, attemptStart, heapAlloc, heapEndBytes, heapFree, heapReset, heapUsedBytes, limitMemory, scratchAlloc, scratchMark, scratchRelease,
} from "./arena";
export {
  bitmapAnd, bitmapAndNot, bitmapClear, bitmapCopy, bitmapCount, bitmapHas, bitmapIntersectionCount,
  bitmapIsEmpty, bitmapIsFew, bitmapMembers, bitmapNext, bitmapOr, bitmapScratch, bitmapSet, bitmapSetMany, bitmapTakeOut, bitmapUnset,
} from "./bitmap";
export { poolCopy, poolEmpty, poolRelease, poolReleaseWithin, poolMeet, poolNew, poolReserve } from "./bitmap-pool";
export { countGroups, firstEntry, nextGroup, orGroups, orListedGroups, presentGroups } from "./columns";
export * from "./dictionary";
export { dictionaryBuilt, dictionaryBuiltBytes, writeTree as dictionaryBuild } from "./tree-writer";
export { gatherPositions, mergePostings } from "./gather";
export {
  inverterAdd, inverterDocument, inverterEncode, inverterHeldBytes, inverterNew, inverterDocIds, inverterReset, inverterSort,
} from "./inverter";
export { pathsCredit, pathsCreditNext, pathsEnd, pathsNext, pathsStart } from "./paths";
export { listDocCount as postingsDocCount } from "./cursor";
export { orDocs, orDocsInFields, orListsDocs } from "./postings";
export { meetingCount, nearLists } from "./nearness";
export { near, sameField, scatterFields, scatterPositions } from "./tables";
export { nearHalfMasked, nearMasked, nearWordsMasked, orMasks, maskList, maskWords, scatterMasks } from "./masked-list";
export { mergeTexts } from "./merge-texts";
export { nearTexts } from "./near-texts";
export { findTexts, isPlainText, textBound } from "./texts";
export { countByDocument, firstsBetween, gatherFirsts, gatherGroups, nextLiveDoc, forwardRowOf, toForward } from "./forward-column";
export { scatterListFields, scatterListPositions } from "./walk";
export {
  inverterAnswer, inverterClasses, inverterCounter, inverterEmitted, inverterProbe, inverterTerm, inverterUnits, inverterWalk,
  inverterWordEnd, inverterWordStart,
} from "./text-walk";
export { orWordsDocs, scatterWordsFields, wordsDocCount } from "./word-range";
export { countVarints, readGroups, sumVarints } from "./varints";
export { mergedBytes, mergeWords } from "./word-merge";
export { inverterDictionary, inverterDictionaryBytes, inverterLists, inverterOffsets, inverterTable } from "./word-tables";
export { graphAdopt, graphEnter } from "./vectors/graph-adopt";
export { graphInsert } from "./vectors/graph-build";
export { graphSearch, vectorSample, vectorScan, vectorScanWithin } from "./vectors/graph-search";
export { graphFree, graphNew, graphUpperCount } from "./vectors/graph";
export { vectorSetFree, vectorSetNew, vectorSetPut } from "./vectors/vector-set";
export { countBeside, windowAddStored, windowHeap, windowOr, wordsRange } from "./windows";
export {
  windowsAdd, windowsAddTable, windowsEnd, windowsFree, windowsNew, windowsOut, windowsOutBytes, windowsRecordBytes, windowsRecords, windowsTable, windowsTaken,
} from "./window-writer";
