declare module 'virtual:icon-shapes' {
  /** The elements of each icon: name and attributes. */
  export const ICON_SHAPES: Readonly<Record<string, readonly (readonly [string, Readonly<Record<string, string>>])[]>>;
}
