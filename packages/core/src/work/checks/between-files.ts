import { checkCompiledImports } from "./compiled/compiled-imports.ts"
import { checkGoPackages } from "./compiled/go-packages.ts"
import { checkDockerfiles } from "./data/dockerfile-files.ts"
import type { Finding } from "./facts/finding.ts"
import type { Project } from "./facts/project.ts"
import { checkJavaScriptImports } from "./javascript/javascript-imports.ts"
import { checkJavaScriptNames } from "./javascript/javascript-names.ts"
import { checkKnownMembers } from "./javascript/known-members.ts"
import { checkModuleKinds } from "./javascript/module-kinds.ts"
import { checkPackageFields } from "./javascript/package-fields.ts"
import { checkScripts } from "./javascript/scripts.ts"
import { checkElementIds } from "./pages/element-ids.ts"
import { checkLinks } from "./pages/links.ts"
import { checkClasses } from "./pages/page-classes.ts"
import { checkHandlers } from "./pages/page-handlers.ts"
import { checkStyleNames } from "./pages/style-names.ts"
import { checkUnreachedFiles } from "./pages/unreached-files.ts"
import { checkFlaskRoutes } from "./python/flask-routes.ts"
import { checkPythonImports } from "./python/python-imports.ts"
import { checkPythonNames } from "./python/python-names.ts"

const BETWEEN_FILES = [
  checkJavaScriptImports,
  checkModuleKinds,
  checkJavaScriptNames,
  checkKnownMembers,
  checkPythonImports,
  checkPythonNames,
  checkFlaskRoutes,
  checkCompiledImports,
  checkGoPackages,
  checkScripts,
  checkPackageFields,
  checkDockerfiles,
  checkLinks,
  checkElementIds,
  checkClasses,
  checkStyleNames,
  checkHandlers,
  checkUnreachedFiles,
]

/** Finds definite errors in references between a project's files. Servers call `checkBetweenFilesInThread` instead. */
export function checkBetweenFiles(project: Project): Finding[] {
  return BETWEEN_FILES.flatMap((check) => check(project))
}
