import { type CheckedFile, readFile } from "./check-file.ts"
import type { Finding, Rule } from "./facts/finding.ts"
import { foldersOf } from "./facts/paths.ts"
import { checkJavaScriptImports } from "./javascript/javascript-imports.ts"
import { checkLinks, isBuilt } from "./pages/links.ts"
import { checkPythonImports } from "./python/python-imports.ts"

/** The rules that can be broken before the other files are written: there will be none of a name. */
const RULES: ReadonlySet<Rule> = new Set<Rule>(["missing_import", "missing_file"])

/**
 * Finds what is certainly wrong with a file that is being written, on its own and as far as it names others: `paths` are all files
 * that the project has or is to have. Servers call `checkWrittenFileInThread`.
 */
export async function checkWrittenFile(file: CheckedFile, paths: readonly string[]): Promise<Finding[]> {
  const { path, text } = file
  const { findings, facts } = await readFile(file)
  if (!facts) return findings
  const files = new Map<string, string | null>([...paths.map((other) => [other, null] as const), [path, text]])
  const project = { files, folders: foldersOf(files.keys()), facts: new Map([[path, facts]]) }
  // A build may make the files that the project's pages name, and isn't read here.
  const checks = [checkJavaScriptImports, checkPythonImports, ...(isBuilt(files.keys()) ? [] : [checkLinks])]
  return [...findings, ...checks.flatMap((check) => check(project)).filter(({ rule }) => RULES.has(rule))]
}
