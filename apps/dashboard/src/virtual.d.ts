declare module 'virtual:icon-shapes' {
  /** The elements of each icon: name and attributes. */
  export const ICON_SHAPES: Readonly<Record<string, readonly (readonly [string, Readonly<Record<string, string>>])[]>>;
}

/** The version of the page, which is that of the server it came with. */
declare const FOSSICK_VERSION: string;
