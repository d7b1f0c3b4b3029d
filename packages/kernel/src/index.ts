export { createKernel, type KernelOptions } from './kernel.js';
export type * from './port.js';
