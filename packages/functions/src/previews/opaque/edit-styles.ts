/** Moves a stylesheet's root-relative paths below another root. */
export function editStyles(css: string, root: string): string {
  return css.replace(/(url\(\s*["']?|@import\s+["'])\/(?!\/)/gi, `$1${root}`)
}
