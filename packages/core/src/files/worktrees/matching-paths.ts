/**
 * Returns the paths that best match a query: first names that begin with it, then paths that contain it, and then paths
 * that contain its letters in order.
 */
export function matchingPaths(paths: readonly string[], query: string, most: number): string[] {
  const wanted = query.toLowerCase()
  const ranked = paths.flatMap((path) => {
    const rank = rankOf(path.toLowerCase(), wanted)
    return rank === null ? [] : [{ path, rank }]
  })
  ranked.sort((a, b) => a.rank - b.rank || a.path.length - b.path.length || (a.path < b.path ? -1 : 1))
  return ranked.slice(0, most).map(({ path }) => path)
}

function rankOf(path: string, query: string): number | null {
  const name = path.slice(path.lastIndexOf("/") + 1)
  if (name.startsWith(query)) return 0
  if (name.includes(query)) return 1
  if (path.includes(query)) return 2
  let at = 0
  for (const letter of path) if (letter === query[at]) at++
  return at === query.length ? 3 : null
}
