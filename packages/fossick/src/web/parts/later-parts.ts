/**
 * Loads parts of the engine that few searches need, by their names in LibraryMissing. The build of `search.js` fills it in
 * (later-parts.mjs); without that build everything is loaded at the start.
 */
export const LATER_PARTS: Readonly<Record<string, () => Promise<unknown>>> = {};
