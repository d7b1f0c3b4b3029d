declare module 'virtual:icon-shapes' {
  /** Per icon its elements: name and attributes. */
  export const ICON_SHAPES: Readonly<Record<string, readonly (readonly [string, Readonly<Record<string, string>>])[]>>;
}
