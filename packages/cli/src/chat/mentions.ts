import { findTwin } from "@switchyard/core/files/workspaces/twins"

/** Lists the words of a message that begin with `@`, without it. They name files for the model. */
function mentionsIn(message: string): string[] {
  return [...message.matchAll(/(?:^|\s)@(\S+)/g)].map(([, word = ""]) => word)
}

/** Returns the files that a message mentions, and unknown mentions. Trailing punctuation is not part of a path. */
export function resolveMentions(message: string, paths: string[]): { files: string[]; unknown: string[] } {
  const known = new Set(paths)
  const files = new Set<string>()
  const unknown: string[] = []
  for (const word of mentionsIn(message)) {
    const names = [word, withoutPunctuation(word)]
    // macOS may type a name in a different Unicode form than git's.
    const path = names.find((one) => known.has(one)) ?? names.flatMap((one) => findTwin(one, paths) ?? [])[0]
    if (path === undefined) unknown.push(word)
    else files.add(path)
  }
  return { files: [...files], unknown }
}

function withoutPunctuation(word: string): string {
  let end = word.length
  while (end > 0 && ".,;:!?)]}\"'`".includes(word[end - 1] ?? "")) end--
  return word.slice(0, end)
}
