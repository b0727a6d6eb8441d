import * as nodeModules from "node:module"
import type { Tree } from "web-tree-sitter"
import { type Fault, faultAt } from "../facts/finding.ts"

/** Syntax that engines don't run as it is, or no longer do: a compiler decides what becomes of it. */
const COMPILED = ["jsx_element", "jsx_self_closing_element", "decorator", "import_attribute"]

/** Whether a script is in the language that engines run, so that a parser for them can judge it. */
export function isPlainScript({ rootNode }: Tree): boolean {
  return !rootNode.hasError && rootNode.descendantsOfType(COMPILED).length === 0
}

/**
 * The error for which an engine refuses a script before it runs any of it, though its grammar is right: a name that is
 * declared twice, an export of nothing, a stray `break`. Only what is wrong both as a module and as a script is reported.
 */
export async function checkEarlyErrors(text: string): Promise<Fault[]> {
  // Loaded with the first script that is checked.
  const { parse } = await import("acorn")
  const options = { ecmaVersion: "latest", allowHashBang: true } as const
  const asScript = refusalOf(() => parse(text, { ...options, allowReturnOutsideFunction: true }))
  if (!asScript) return []
  const asModule = refusalOf(() => parse(text, { ...options, sourceType: "module" }))
  if (!asModule) return []
  const { message, line } = /sourceType: module/.test(asScript.message) ? asModule : asScript
  return [faultAt(line, "syntax", `${message}.`)]
}

/** Whether an engine would read a script, whatever the grammar makes of it: it takes a variable named `using` for a declaration. */
export async function isSoundScript(text: string): Promise<boolean> {
  return (await checkEarlyErrors(text)).length === 0
}

/** The errors of `checkEarlyErrors` in TypeScript, as far as its types can be taken out where they stand. */
export async function checkEarlyErrorsOfTypeScript(text: string): Promise<Fault[]> {
  const script = withoutTypes(text)
  const faults = script === null ? [] : await checkEarlyErrors(script)
  // What is exported may have been a type.
  return faults.filter(({ message }) => !/ Export '/.test(message))
}

/** Returns null for enums and namespaces, which have to be compiled, and for other syntax, which another check reports. */
function withoutTypes(text: string): string | null {
  try {
    return nodeModules.stripTypeScriptTypes?.(text, { mode: "strip" }) ?? null
  } catch (error) {
    // Text that is nested too deeply breaks it for the rest of the thread.
    if (!/_TYPESCRIPT_SYNTAX$/.test(String((error as { code?: unknown }).code))) throw error
    return null
  }
}

/** The syntax error that a parser throws. Giving up on text that is nested too deeply proves nothing. */
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
