export { createKernel, type KernelOptions } from './kernel.js';
export { PLAN_EDGE_BYTES, PLAN_FRAME_BYTES, PLAN_HEADER_BYTES } from './layout.js';
export type * from './port.js';
