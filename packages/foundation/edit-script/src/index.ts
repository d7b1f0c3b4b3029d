export { checkEditFunction, compileEditFunction, type EditFunction } from './edit-function.js';
