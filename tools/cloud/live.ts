/** Alias of each function's live version. A deployment moves it forward, and `npm run rollback` moves it back. */
export const LIVE = "live"

/** The studio's page. */
export const PAGE = "index.html"

/** Returns the key of the page's copy for one version of the code. Visitors can't request the copies. */
export function pageOf(version: string): string {
  return `pages/${commitOf(version)}.html`
}

/** Returns the commit of a version such as `0.1.0+COMMIT`, with `.changed` if there were other changes. */
export function commitOf(version: string): string {
  return version.split("+").at(-1) ?? version
}
