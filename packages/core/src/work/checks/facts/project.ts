import type { CompiledModule } from "./compiled-module.ts"
import type { Fault, Finding } from "./finding.ts"
import type { JavaScriptModule } from "./javascript-module.ts"
import type { Markup } from "./markup.ts"
import type { PythonModule } from "./python-module.ts"

/** Relations of a file to others. */
export type FileFacts = JavaScriptModule | PythonModule | CompiledModule<"go"> | CompiledModule<"rust"> | Markup

/** A project's files and their relations. */
export interface Project {
  /** Texts, or null for files that are not text. */
  files: ReadonlyMap<string, string | null>
  /** Folders of the files. */
  folders: ReadonlySet<string>
  facts: ReadonlyMap<string, FileFacts>
}

/** True if a project has its own page. */
export function hasPage({ files }: Pick<Project, "files">): boolean {
  return [...files.keys()].some((path) => /\.html?$/.test(path))
}

/** Checks each file of a language by its facts. */
export function faultsOf<L extends FileFacts["language"]>(
  { facts }: Project,
  language: L,
  check: (path: string, facts: Extract<FileFacts, { language: L }>) => Fault[],
): Finding[] {
  return [...facts].flatMap(([path, one]) => {
    return [one, ...(one.language === "markup" ? one.modules : [])]
      .filter((part) => part.language === language)
      .flatMap((part) => check(path, part as Extract<FileFacts, { language: L }>))
      .map((fault) => ({ path, ...fault }))
  })
}

/** Returns the scripts in a file: itself, or those of a page. */
export function scriptsIn(facts: FileFacts | undefined): JavaScriptModule[] {
  if (facts?.language === "markup") return facts.modules
  return facts?.language === "javascript" ? [facts] : []
}
