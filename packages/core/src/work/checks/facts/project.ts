import type { CompiledModule } from "./compiled-module.ts"
import type { Fault, Finding } from "./finding.ts"
import type { JavaScriptModule } from "./javascript-module.ts"
import type { Markup } from "./markup.ts"
import type { PythonModule } from "./python-module.ts"

/** Relations of a file to other files. */
export type FileFacts = JavaScriptModule | PythonModule | CompiledModule<"go"> | CompiledModule<"rust"> | Markup

/** A project's files and their relations. */
export interface Project {
  /** Texts by path. Null for files that aren't text. */
  files: ReadonlyMap<string, string | null>
  /** Folders that contain files at any depth, without the root. */
  folders: ReadonlySet<string>
  facts: ReadonlyMap<string, FileFacts>
}

/** Returns true if the project contains an HTML page. */
export function hasPage({ files }: Pick<Project, "files">): boolean {
  return [...files.keys()].some((path) => /\.html?$/.test(path))
}

/** Runs a check on each file in the given language, and returns the findings. */
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

/** Returns a file's scripts: the file itself if it is a script, or a page's inline scripts. */
export function scriptsIn(facts: FileFacts | undefined): JavaScriptModule[] {
  if (facts?.language === "markup") return facts.modules
  return facts?.language === "javascript" ? [facts] : []
}
