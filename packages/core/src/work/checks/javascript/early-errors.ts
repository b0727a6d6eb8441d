import * as nodeModules from "node:module"
import type { Tree } from "web-tree-sitter"
import { type Fault, faultAt } from "../facts/finding.ts"

/** Syntax that engines don't run, or no longer do. A compiler decides its meaning. */
const COMPILED = ["jsx_element", "jsx_self_closing_element", "decorator", "import_attribute"]

/** True if engines can run a script as it is, so that their parser can judge it. */
export function isPlainScript({ rootNode }: Tree): boolean {
  return !rootNode.hasError && rootNode.descendantsOfType(COMPILED).length === 0
}

/**
 * Finds the error that makes an engine refuse a script before running it, despite correct grammar: a duplicate
 * declaration, an export of nothing, a stray `break`. Reports only what is wrong both as a module and as a script.
 */
export async function checkEarlyErrors(text: string): Promise<Fault[]> {
  // Loaded with the first checked script.
  const { parse } = await import("acorn")
  const options = { ecmaVersion: "latest", allowHashBang: true } as const
  const asScript = refusalOf(() => parse(text, { ...options, allowReturnOutsideFunction: true }))
  if (!asScript) return []
  const asModule = refusalOf(() => parse(text, { ...options, sourceType: "module" }))
  if (!asModule) return []
  const { message, line } = /sourceType: module/.test(asScript.message) ? asModule : asScript
  return [faultAt(line, "syntax", `${message}.`)]
}

/**
 * True if an engine accepts a script, whatever the grammar reports. The grammar mistakes a variable named `using` for a
 * declaration.
 */
export async function isSoundScript(text: string): Promise<boolean> {
  return (await checkEarlyErrors(text)).length === 0
}

/** Checks early errors in TypeScript, if its types can simply be removed. */
export async function checkEarlyErrorsOfTypeScript(text: string): Promise<Fault[]> {
  const script = withoutTypes(text)
  const faults = script === null ? [] : await checkEarlyErrors(script)
  // The exported name may have been a type.
  return faults.filter(({ message }) => !/ Export '/.test(message))
}

/**
 * Returns null for enums and namespaces, which must be compiled, and for syntax errors, which another check reports.
 */
function withoutTypes(text: string): string | null {
  try {
    return nodeModules.stripTypeScriptTypes?.(text, { mode: "strip" }) ?? null
  } catch (error) {
    // Text that is nested too deeply breaks it for the rest of the thread.
    if (!/_TYPESCRIPT_SYNTAX$/.test(String((error as { code?: unknown }).code))) throw error
    return null
  }
}

/** Returns the syntax error that a parser throws. Other errors, such as too deep nesting, prove nothing. */
function refusalOf(parse: () => unknown): { message: string; line: number } | undefined {
  try {
    parse()
    return undefined
  } catch (error) {
    if (!(error instanceof SyntaxError)) return undefined
    const { loc } = error as { loc?: { line: number } }
    return { message: error.message.replace(/ \(\d+:\d+\)$/, ""), line: loc?.line ?? 1 }
  }
}
