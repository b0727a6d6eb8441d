import type { Tree } from "web-tree-sitter"
import { withTree } from "../../files/symbols/grammars.ts"
import { type Grammar, grammarOf } from "../../files/symbols/languages.ts"
import { checkSemicolons } from "./compiled/c-errors.ts"
import { checkGo } from "./compiled/go-errors.ts"
import { checkJava } from "./compiled/java-errors.ts"
import { checkDataFormat } from "./data/data-formats.ts"
import { readGo, readRust } from "./facts/compiled-module.ts"
import { isExempt, isMinified } from "./facts/file-kinds.ts"
import type { Fault, Finding, Rule } from "./facts/finding.ts"
import { readJavaScript } from "./facts/javascript-module.ts"
import { type Markup, readCss, readHtml } from "./facts/markup.ts"
import type { FileFacts } from "./facts/project.ts"
import { readPython } from "./facts/python-module.ts"
import { checkConstants } from "./javascript/constants.ts"
import {
  checkEarlyErrors,
  checkEarlyErrorsOfTypeScript,
  isPlainScript,
  isSoundScript,
} from "./javascript/early-errors.ts"
import { checkCss } from "./pages/css-errors.ts"
import { checkPageEnd } from "./pages/page-end.ts"
import { checkPageTags } from "./pages/page-tags.ts"
import { checkSyntax } from "./syntax.ts"
import { checkHashPlaceholders, checkPlaceholders } from "./text/placeholders.ts"
import { checkWholeText } from "./text/whole-text.ts"

export interface CheckedFile {
  path: string
  text: string
  /** The file's previous text, if the file existed. */
  before?: string
}

/**
 * Rules whose faults mean that the text isn't the file's content at all. Parsing such text as code would only report
 * the same problem again.
 */
const NO_CODE: ReadonlySet<Rule> = new Set<Rule>(["markdown_fence", "not_text", "empty_file", "stray_text"])

const SCRIPTS: ReadonlySet<Grammar> = new Set<Grammar>(["javascript", "typescript", "tsx"])

export interface ReadFile {
  findings: Finding[]
  /** The file's relations to other files. */
  facts?: FileFacts | undefined
}

/** Finds definite faults in a single file, without looking at other files. Servers call `checkFileInThread` instead. */
export async function checkFile(file: CheckedFile): Promise<Finding[]> {
  return (await readFile(file)).findings
}

/** Parses a file once, for both its faults and its relations to other files. */
export async function readFile(file: CheckedFile): Promise<ReadFile> {
  const { path, text, before } = file
  if (isExempt(path)) return { findings: [] }
  const faults = checkWholeText(path, text, before)
  const toFindings = (all: Fault[]) => all.map((fault) => ({ path, ...fault }))
  const isText = !faults.some(({ rule }) => NO_CODE.has(rule))
  if (!isText || isMinified(path, text)) return { findings: toFindings(faults) }
  const grammar = grammarOf(path)
  if (!grammar) return { findings: toFindings([...faults, ...(await checkUnparsed(file))]) }
  const read = await withTree(grammar, text, (tree) => ({
    faults: [
      ...checkSyntax(grammar, tree, text),
      ...(grammar === "html" ? checkPage(text) : []),
      ...(grammar === "c" || grammar === "cpp" || grammar === "csharp" ? checkSemicolons(tree, text) : []),
      ...(SCRIPTS.has(grammar) ? checkConstants(tree) : []),
      ...(grammar === "go" ? checkGo(tree, text) : []),
      ...(grammar === "java" ? checkJava(path, tree) : []),
      ...checkPlaceholders(tree, before),
    ],
    isPlainScript: (grammar === "javascript" || grammar === "typescript") && isPlainScript(tree),
    // Declaration files are compiler output, so skip them.
    facts: /\.d\.[cm]?ts$/.test(path) ? undefined : factsOf(grammar, tree, text),
  }))
  if (!read) return { findings: toFindings(faults) }
  const isReadable = grammar === "javascript" && read.faults.length > 0 && (await isSoundScript(text))
  const ofCode = isReadable ? read.faults.filter(({ rule }) => rule !== "syntax") : read.faults
  const ofScripts = read.facts?.language === "markup" ? await readScripts(read.facts) : []
  const ofPageStyles = read.facts?.language === "markup" ? await readStyles(read.facts) : []
  const checkEarly = grammar === "typescript" ? checkEarlyErrorsOfTypeScript : checkEarlyErrors
  const early = read.isPlainScript ? await checkEarly(text) : []
  const ofStyles = grammar === "css" && read.faults.length === 0 ? await checkCss(text) : []
  return {
    findings: toFindings([...faults, ...ofCode, ...ofScripts, ...early, ...ofStyles, ...ofPageStyles]),
    facts: read.facts,
  }
}

/** Reads a page's inline scripts. Their faults are reported as the page's own. */
async function readScripts({ scripts, modules }: Markup): Promise<Fault[]> {
  const faults: Fault[] = []
  for (const { text, line } of scripts) {
    // Add empty lines in front, so that line numbers match the page.
    const padded = "\n".repeat(line - 1) + text
    const read = await withTree("javascript", padded, (tree) => {
      faults.push(...checkConstants(tree), ...checkPlaceholders(tree, undefined))
      modules.push(readJavaScript(tree, text))
      return { syntax: checkSyntax("javascript", tree, padded), isPlain: isPlainScript(tree) }
    })
    if (read && read.syntax.length > 0 && !(await isSoundScript(padded))) faults.push(...read.syntax)
    if (read?.isPlain) faults.push(...(await checkEarlyErrors(padded)))
  }
  return faults
}

/** Reads a page's inline styles. Their faults and names are treated as the page's own. */
async function readStyles(page: Markup): Promise<Fault[]> {
  const faults: Fault[] = []
  for (const { text, line } of page.styles) {
    const padded = "\n".repeat(line - 1) + text
    const read = await withTree("css", padded, (tree) => ({
      facts: readCss(tree, padded),
      faults: checkSyntax("css", tree, padded),
    }))
    if (!read) continue
    page.links.push(...read.facts.links)
    page.properties.push(...read.facts.properties)
    page.animations.push(...read.facts.animations)
    faults.push(...(read.faults.length > 0 ? read.faults : await checkCss(padded)))
  }
  return faults
}

/** Checks whether a page is truncated. If it isn't, checks its tags. */
function checkPage(text: string): Fault[] {
  const end = checkPageEnd(text)
  return end.length > 0 ? end : checkPageTags(text)
}

function factsOf(grammar: Grammar, tree: Tree, text: string): FileFacts | undefined {
  switch (grammar) {
    case "javascript":
    case "typescript":
    case "tsx":
      return readJavaScript(tree, text)
    case "python":
      return readPython(tree, text)
    case "go":
      return readGo(tree)
    case "rust":
      return readRust(tree)
    case "html":
      return readHtml(tree, text)
    case "css":
      return readCss(tree, text)
    default:
      return undefined
  }
}

const HASH_COMMENTS = /(?:^|\/)(?:dockerfile|makefile|[^/]*\.(?:sh|bash|ya?ml|toml))$/i

async function checkUnparsed({ path, text, before }: CheckedFile): Promise<Fault[]> {
  const placeholders = HASH_COMMENTS.test(path) ? checkHashPlaceholders(text, before) : []
  return [...(await checkDataFormat(path, text)), ...placeholders]
}
