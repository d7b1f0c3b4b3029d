export { type BodyReservation, NO_RESERVATION } from './body-reservation.js';
export { idsInFile, idText, isArrayText, storeIds } from './id-file.js';
export { type PayloadFormat, storePayload } from './store-payload.js';
