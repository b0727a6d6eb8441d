import type { Language, ProjectFile } from "./project.ts"
import { capitalised, type ScriptLanguage, script, source } from "./source.ts"

/** A module, what its tests import from it, and the tests, to which the imports are added. */
export interface ModuleSource {
  module: string
  exports: string[]
  tests: string
}

/** A file of a Node project, from a template that serves both languages. */
export function scriptFile(language: Language, path: string, purpose: string, text: string): ProjectFile {
  const to: ScriptLanguage = language === "javascript" ? "javascript" : "typescript"
  return { path: script(to, path), purpose, content: script(to, text) }
}

export function scriptModuleTest(module: string, { exports, tests }: ModuleSource): string {
  return source`
    import assert from "node:assert/strict"
    import { test } from "node:test"
    import { ${exports.join(", ")} } from "./${module}.ts"

    ${tests}
  `
}

export function pythonModuleTest(module: string, { exports, tests }: ModuleSource): string {
  return source`
    import unittest

    from ${module} import ${exports.join(", ")}


    class ${module.split("_").map(capitalised).join("")}Test(unittest.TestCase):
        ${tests}


    if __name__ == "__main__":
        unittest.main()
  `
}
