export { heapAlloc, heapFree, heapUsedBytes, scratchAlloc, scratchMark, scratchRelease } from "./arena";
export * from "./dictionary";
