import type { Project, ProjectFile, Recipe } from "./project.ts"
import type { RecipeSource } from "./recipe-source.ts"

/**
 * A page that needs no build: JavaScript is a plain script, so that a double-click opens it, too; for TypeScript the file
 * that serves it takes the types away; in Python the script stays JavaScript, and serving and tests are Python.
 */
export function pageFiles({ module }: Recipe, source: RecipeSource, { language }: Project): ProjectFile[] {
  const extension = language === "typescript" ? "ts" : "js"
  const script = pageScript(source.text(`${module}.${extension}`), source.text(`page.${extension}`))
  const file = (name: string, purpose: string, content = source.text(name)) => ({ path: name, purpose, content })
  const page = [
    file("index.html", "The page."),
    file("styles.css", "Its looks, in light and dark, on small and large screens."),
    file(
      `script.${extension}`,
      "What the page does: functions on top, their use on the page below.",
      language === "typescript" ? script : plainScript(script),
    ),
  ]
  const served = "Serves the page on a port."
  if (language === "python") {
    return [
      ...page,
      file("serve.py", served),
      file("test_page.py", "Tests that the page is whole, accessible and served."),
    ]
  }
  const test = `script.test.${extension}`
  const tests = pageTests(source.text(`${module}.test.${extension}`), source.text(test), {
    plain: language === "javascript",
  })
  const tested = file(test, "Tests what the script does, and that the page has what it needs.", tests)
  return [...page, tested, file(`serve.${extension}`, served)]
}

/** A page's script is one file, which needs no build: the module first, then its use on the page. */
export function pageScript(module: string, page: string): string {
  return `${module}\n${page.replace(/^(import .*\n)+\n/, "")}`
}

/** The same without `export`, for a script that a page loads with no module system, and so from a double-clicked file too. */
export function plainScript(text: string): string {
  return text.replace(/^export /gm, "")
}

/** The module's tests, which are about the page's script here, before the page's own. A plain script exports nothing to import. */
export function pageTests(moduleTests: string, pageTest: string, { plain }: { plain: boolean }): string {
  const [imports, tests] = splitAtFirstTest(moduleTests)
  const [head, own] = splitAtFirstTest(pageTest)
  const imported = imports.split("\n").find((line) => line.includes('"./')) ?? ""
  const ofScript = imported.replace(/"\..*"/, '"./script.ts"')
  return `${plain ? head : head.replace("\n\n", `\n${ofScript}\n\n`)}${tests}\n${own}`
}

function splitAtFirstTest(text: string): [before: string, tests: string] {
  const at = text.indexOf("\ntest(") + 1
  return [text.slice(0, at), text.slice(at)]
}
