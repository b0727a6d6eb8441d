import * as nodeModules from "node:module"
import type { Tree } from "web-tree-sitter"
import { type Fault, faultAt } from "../facts/finding.ts"

/** Syntax that engines don't support, or no longer support, so that its meaning depends on a compiler. */
const COMPILED = ["jsx_element", "jsx_self_closing_element", "decorator", "import_attribute"]

/**
 * Returns true if engines can run a script without compilation. A parser that follows an engine's rules can only judge
 * such a script.
 */
export function isPlainScript({ rootNode }: Tree): boolean {
  return !rootNode.hasError && rootNode.descendantsOfType(COMPILED).length === 0
}

/**
 * Finds an early error: engines reject the script, although the grammar accepts it. Examples are a duplicate
 * declaration, an export of an undeclared name, and a stray `break`. Reports only errors that apply to both modules and
 * classic scripts.
 */
export async function checkEarlyErrors(text: string): Promise<Fault[]> {
  // Loaded lazily, when the first script is checked.
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
 * Returns true if an engine accepts a script that the grammar may reject. For example, the grammar mistakes a variable
 * named `using` for a declaration.
 */
export async function isSoundScript(text: string): Promise<boolean> {
  return (await checkEarlyErrors(text)).length === 0
}

/** Checks TypeScript for early errors, if removing its types is enough to get JavaScript. */
export async function checkEarlyErrorsOfTypeScript(text: string): Promise<Fault[]> {
  const script = withoutTypes(text)
  const faults = script === null ? [] : await checkEarlyErrors(script)
  // The exported name may be a type that was stripped.
  return faults.filter(({ message }) => !/ Export '/.test(message))
}

/**
 * Strips the types from TypeScript. Returns null for enums and namespaces, because they need compilation, and for
 * syntax errors, because another check reports them.
 */
function withoutTypes(text: string): string | null {
  try {
    return nodeModules.stripTypeScriptTypes?.(text, { mode: "strip" }) ?? null
  } catch (error) {
    // Rethrow other errors to end the thread, because the compiler stays broken in a thread after deeply nested text.
    if (!/_TYPESCRIPT_SYNTAX$/.test(String((error as { code?: unknown }).code))) throw error
    return null
  }
}

/**
 * Returns the syntax error that a parser throws. Ignores other errors, such as stack overflows, because they don't
 * prove that the text is wrong.
 */
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
