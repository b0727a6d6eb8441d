import type { CompiledModule } from "./compiled-module.ts"
import type { Fault, Finding } from "./finding.ts"
import type { JavaScriptModule } from "./javascript-module.ts"
import type { Markup } from "./markup.ts"
import type { PythonModule } from "./python-module.ts"

/** The relations of a file to others. */
export type FileFacts = JavaScriptModule | PythonModule | CompiledModule<"go"> | CompiledModule<"rust"> | Markup

/** A project's files, and what each of them has to do with others. */
export interface Project {
  /** The texts, or null of what is not text. */
  files: ReadonlyMap<string, string | null>
  /** The folders in which they lie. */
  folders: ReadonlySet<string>
  facts: ReadonlyMap<string, FileFacts>
}

/** Whether a project has a page of its own. */
export function hasPage({ files }: Pick<Project, "files">): boolean {
  return [...files.keys()].some((path) => /\.html?$/.test(path))
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
