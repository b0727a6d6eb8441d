import type { FileFacts } from "./check-file.ts"
import type { Fault, Finding } from "./finding.ts"

/** A project's files, and what each of them has to do with others. */
export interface Project {
  /** The texts, or null of what is not text. */
  files: ReadonlyMap<string, string | null>
  facts: ReadonlyMap<string, FileFacts>
}

/** The faults of each file of a language, by its facts. */
export function faultsOf<L extends FileFacts["language"]>(
  { facts }: Project,
  language: L,
  check: (path: string, facts: Extract<FileFacts, { language: L }>) => Fault[],
): Finding[] {
  return [...facts].flatMap(([path, one]) => {
    const parts: FileFacts[] = one.language === "markup" ? [one, ...one.modules] : [one]
    return parts
      .filter((part) => part.language === language)
      .flatMap((part) => check(path, part as Extract<FileFacts, { language: L }>))
      .map((fault) => ({ path, ...fault }))
  })
}
