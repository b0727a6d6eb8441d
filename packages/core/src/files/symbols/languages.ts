import type { WasmFile } from "./grammar-files.ts"
import { textFormatOf } from "./text-symbols.ts"

/** Grammars for files. Shell commands use a separate grammar, which isn't among them. */
export type Grammar = Exclude<WasmFile, "library" | "bash">

const BY_EXTENSION: Record<string, Grammar> = {
  ...{ c: "c", h: "c", cc: "cpp", cpp: "cpp", cxx: "cpp", hh: "cpp", hpp: "cpp", hxx: "cpp", cs: "csharp" },
  ...{ css: "css", htm: "html", html: "html" },
  ...{ go: "go", java: "java", php: "php", py: "python", rs: "rust" },
  ...{ cjs: "javascript", js: "javascript", jsx: "javascript", mjs: "javascript" },
  ...{ cts: "typescript", mts: "typescript", ts: "typescript", tsx: "tsx" },
  ...{ gemspec: "ruby", rake: "ruby", rb: "ruby" },
}
const BY_NAME: Record<string, Grammar> = { Gemfile: "ruby", Rakefile: "ruby" }

/** Returns the grammar for a file name, if one exists. */
export function grammarOf(path: string): Grammar | undefined {
  const name = path.slice(path.lastIndexOf("/") + 1)
  const dot = name.lastIndexOf(".")
  const found = new Map(Object.entries(BY_NAME)).get(name)
  return found ?? (dot < 0 ? undefined : EXTENSIONS.get(name.slice(dot + 1).toLowerCase()))
}
const EXTENSIONS = new Map(Object.entries(BY_EXTENSION))

/** Returns the language for a file name, or undefined if files with this name have no outline. */
export function languageOf(path: string): string | undefined {
  return grammarOf(path) ?? textFormatOf(path)
}

export type CodeLanguage = Exclude<Grammar, "css" | "html">

/** Returns the programming language for a file name, or undefined for other files. */
export function codeLanguageOf(path: string): CodeLanguage | undefined {
  const grammar = grammarOf(path)
  return grammar === "css" || grammar === "html" ? undefined : grammar
}
