import { type CheckedFile, readFile } from "./check-file.ts"
import type { Finding, Rule } from "./facts/finding.ts"
import { foldersOf } from "./facts/paths.ts"
import { checkJavaScriptImports } from "./javascript/javascript-imports.ts"
import { checkLinks, isBuilt } from "./pages/links.ts"
import { checkPythonImports } from "./python/python-imports.ts"

/** Rules that need only paths, so they can be checked before the other files are written. */
const RULES: ReadonlySet<Rule> = new Set<Rule>(["missing_import", "missing_file"])

/**
 * Finds definite faults in a file that is being written, including its references to other files. `paths` lists all
 * existing and planned files. Servers call `checkWrittenFileInThread` instead.
 */
export async function checkWrittenFile(file: CheckedFile, paths: readonly string[]): Promise<Finding[]> {
  const { path, text } = file
  const { findings, facts } = await readFile(file)
  if (!facts) return findings
  const files = new Map<string, string | null>([...paths.map((other) => [other, null] as const), [path, text]])
  const project = { files, folders: foldersOf(files.keys()), facts: new Map([[path, facts]]) }
  // If the project has a build, pages may link to generated files, so links aren't checked.
  const checks = [checkJavaScriptImports, checkPythonImports, ...(isBuilt(files.keys()) ? [] : [checkLinks])]
  return [...findings, ...checks.flatMap((check) => check(project)).filter(({ rule }) => RULES.has(rule))]
}
