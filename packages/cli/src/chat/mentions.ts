import { findTwin } from "@switchyard/core/files/workspaces/twins"

/** The words of a message that begin with `@`, without it: files that the model should be shown. */
function mentionsIn(message: string): string[] {
  return [...message.matchAll(/(?:^|\s)@(\S+)/g)].map(([, word = ""]) => word)
}

/** The files that a message mentions, and what it mentions besides. The end of a sentence is no part of a path. */
export function resolveMentions(message: string, paths: string[]): { files: string[]; unknown: string[] } {
  const known = new Set(paths)
  const files = new Set<string>()
  const unknown: string[] = []
  for (const word of mentionsIn(message)) {
    const names = [word, withoutPunctuation(word)]
    // A Mac writes a name in another Unicode form than git has it.
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
