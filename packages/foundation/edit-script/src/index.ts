export { checkEditFunction, compileEditFunction, type EditFunction } from './run/edit-function.js';
