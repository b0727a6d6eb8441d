import { grammarOf, withTree } from "../../files/symbols/grammars.ts"
import { checkDataFormat } from "./data-formats.ts"
import { isExempt, isMinified } from "./file-kinds.ts"
import type { Fault, Finding } from "./finding.ts"
import { checkHashPlaceholders, checkPlaceholders } from "./placeholders.ts"
import { checkSyntax } from "./syntax.ts"
import { checkWholeText } from "./whole-text.ts"

export interface CheckedFile {
  path: string
  text: string
  /** The text that it replaces, if there was one. */
  before?: string
}

/** What is certainly wrong with one file, whatever the others hold. */
export async function checkFile({ path, text, before }: CheckedFile): Promise<Finding[]> {
  if (isExempt(path)) return []
  const faults = checkWholeText(path, text, before)
  // A file in a fence is no code, and would only be told so once more.
  const isText = !faults.some(({ rule }) => rule === "markdown_fence" || rule === "not_text" || rule === "empty_file")
  if (isText && !isMinified(path, text)) faults.push(...(await checkLanguage(path, text, before)))
  return faults.map((fault) => ({ path, ...fault }))
}

async function checkLanguage(path: string, text: string, before: string | undefined): Promise<Fault[]> {
  const grammar = grammarOf(path)
  if (!grammar) return [...(await checkDataFormat(path, text)), ...checkHash(path, text, before)]
  const found = await withTree(grammar, text, (tree) => [
    ...checkSyntax(grammar, tree, text),
    ...checkPlaceholders(tree, before),
  ])
  return found ?? []
}

const HASH_COMMENTS = /(?:^|\/)(?:dockerfile|makefile|[^/]*\.(?:sh|bash|ya?ml|toml))$/i

function checkHash(path: string, text: string, before: string | undefined): Fault[] {
  return HASH_COMMENTS.test(path) ? checkHashPlaceholders(text, before) : []
}
