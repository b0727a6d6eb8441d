import { type FileFacts, readFile } from "./check-file.ts"
import { checkCompiledImports } from "./compiled-imports.ts"
import { checkElementIds } from "./element-ids.ts"
import type { Finding } from "./finding.ts"
import { checkGoPackages } from "./go-packages.ts"
import { checkJavaScriptImports } from "./javascript-imports.ts"
import { checkLinks } from "./links.ts"
import { checkModuleKinds } from "./module-kinds.ts"
import { checkHandlers } from "./page-handlers.ts"
import { checkPythonImports } from "./python-imports.ts"
import { checkScripts } from "./scripts.ts"

const BETWEEN_FILES = [
  checkJavaScriptImports,
  checkModuleKinds,
  checkPythonImports,
  checkCompiledImports,
  checkGoPackages,
  checkScripts,
  checkLinks,
  checkElementIds,
  checkHandlers,
]

/** Finds what is certainly wrong with a project. Its files are texts, or null for those that are not text. */
export async function checkProject(files: ReadonlyMap<string, string | null>): Promise<Finding[]> {
  const findings: Finding[] = []
  const facts = new Map<string, FileFacts>()
  for (const [path, text] of files) {
    if (text === null) continue
    const read = await readFile({ path, text })
    findings.push(...read.findings)
    if (read.facts) facts.set(path, read.facts)
  }
  return [...findings, ...BETWEEN_FILES.flatMap((check) => check({ files, facts }))]
}
