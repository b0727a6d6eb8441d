import { readFile } from "./check-file.ts"
import { checkCompiledImports } from "./compiled/compiled-imports.ts"
import { checkGoPackages } from "./compiled/go-packages.ts"
import type { Finding } from "./facts/finding.ts"
import type { FileFacts } from "./facts/project.ts"
import { checkJavaScriptImports } from "./javascript/javascript-imports.ts"
import { checkModuleKinds } from "./javascript/module-kinds.ts"
import { checkScripts } from "./javascript/scripts.ts"
import { checkElementIds } from "./pages/element-ids.ts"
import { checkLinks } from "./pages/links.ts"
import { checkHandlers } from "./pages/page-handlers.ts"
import { checkPythonImports } from "./python/python-imports.ts"

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
