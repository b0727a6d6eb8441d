/** Moves paths from the root of a stylesheet's host below another root. */
export function editStyles(css: string, root: string): string {
  return css.replace(/(url\(\s*["']?|@import\s+["'])\/(?!\/)/gi, `$1${root}`)
}
