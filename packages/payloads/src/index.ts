export { type BodyHold, NO_HOLD } from './body-hold.js';
export { idsInFile, idText, isArrayText, storeIds } from './id-file.js';
export { type PayloadFormat, storePayload } from './store-payload.js';
