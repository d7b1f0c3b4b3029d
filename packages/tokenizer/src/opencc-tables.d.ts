declare module "opencc-js/dict/TSCharacters" {
  /** Pairs `from to` separated by `|`. */
  const table: string;
  export default table;
}
