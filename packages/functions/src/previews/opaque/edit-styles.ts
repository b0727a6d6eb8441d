/** A stylesheet in which what is named by a path from the root of its host is looked for below another one. */
export function editStyles(css: string, root: string): string {
  return css.replace(/(url\(\s*["']?|@import\s+["'])\/(?!\/)/gi, `$1${root}`)
}
