import { findTwin } from "@switchyard/core/files/workspaces/twins"

/** Returns the words in a message that begin with `@`, without the `@`. They name files for the model to see. */
function mentionsIn(message: string): string[] {
  return [...message.matchAll(/(?:^|\s)@(\S+)/g)].map(([, word = ""]) => word)
}

/**
 * Returns the files that a message mentions, and the mentions that match no file. Ignores punctuation at the end of a
 * mention.
 */
export function resolveMentions(message: string, paths: string[]): { files: string[]; unknown: string[] } {
  const known = new Set(paths)
  const files = new Set<string>()
  const unknown: string[] = []
  for (const word of mentionsIn(message)) {
    const names = [word, withoutPunctuation(word)]
    // On macOS, the Unicode form of a typed name may differ from the form in git.
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
