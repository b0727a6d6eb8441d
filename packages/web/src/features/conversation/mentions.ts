/** A mention that is being written: where its `@` is, and what follows it up to the caret. */
export interface Mention {
  at: number
  query: string
}

/** The mention that the caret is in, if it is in one. An `@` in a word is an address's. */
export function mentionAt(text: string, caret: number): Mention | null {
  const found = /(?:^|[\s([{"'`])@([^\s@]*)$/.exec(text.slice(0, caret))
  return found ? { at: caret - (found[1] ?? "").length - 1, query: found[1] ?? "" } : null
}

/** The text with the path in the mention's place, and the caret after it. */
export function insertMention(text: string, { at, query }: Mention, path: string): { text: string; caret: number } {
  const before = `${text.slice(0, at)}@${path} `
  const rest = text.slice(at + 1 + query.length)
  return { text: before + rest.replace(/^ /, ""), caret: before.length }
}

const MOST = 8

/** The paths that fit a query best: those whose name begins with it, then those that contain it, then those with its letters in order. */
export function matchingFiles(files: readonly string[], query: string): string[] {
  const wanted = query.toLowerCase()
  const ranked = files.flatMap((path) => {
    const rank = rankOf(path.toLowerCase(), wanted)
    return rank === null ? [] : [{ path, rank }]
  })
  ranked.sort((a, b) => a.rank - b.rank || a.path.length - b.path.length || (a.path < b.path ? -1 : 1))
  return ranked.slice(0, MOST).map(({ path }) => path)
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
