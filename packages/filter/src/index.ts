export { matchesPattern } from './pattern.js';
