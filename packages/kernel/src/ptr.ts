/** A byte address in the kernel's linear memory. 0 is "none". */
export type Ptr = number;
