import type { Project, ProjectFile } from "../project.ts"
import { blocks, html, plainScript, type ScriptLanguage, script, source } from "../source.ts"
import { pythonPageTest, pythonServe, typescriptServe } from "./serve.ts"
import { styles } from "./styles.ts"

export interface Page {
  summary: string
  /** What stands in the body, which has no script and no style of its own. */
  body: string
  /** Pure functions first, exported; then `start()`, which finds its elements by `find("id")`. */
  logic: string
  start: string
  /** What the tests import, and the tests. */
  exports: string[]
  tests: string
}

/**
 * A page that needs no build: JavaScript is a plain script, so that a double-click opens it; TypeScript is served by a
 * file of thirty lines that takes the types away; in Python the script stays JavaScript, and serving and tests are Python.
 */
export function pageFiles(page: Page, project: Project): ProjectFile[] {
  const typescript = project.language === "typescript"
  const to: ScriptLanguage = typescript ? "typescript" : "javascript"
  const text = script(to, blocks(page.logic, page.start, find, startHere))
  return [
    { path: "index.html", purpose: "The page.", content: document(page, project) },
    { path: "styles.css", purpose: "Its looks, in light and dark, on small and large screens.", content: styles },
    {
      path: typescript ? "script.ts" : "script.js",
      purpose: "What the page does: functions on top, their use on the page below.",
      content: typescript ? text : plainScript(text),
    },
    ...testsAndServer(page, project),
  ]
}

export function pageUsage({ language }: Project): string {
  if (language === "javascript") return "Open `index.html` in a browser."
  const command = language === "typescript" ? "npm start" : "python3 serve.py"
  const fence = "```"
  return `${fence}sh\n${command}\n${fence}\n\nThen open http://localhost:3000. Set \`PORT\` for another port.`
}

function testsAndServer(page: Page, { language }: Project): ProjectFile[] {
  const served = "Serves the page on a port."
  if (language === "python") {
    return [
      { path: "serve.py", purpose: served, content: pythonServe },
      {
        path: "test_page.py",
        purpose: "Tests that the page is whole, accessible and served.",
        content: pythonPageTest,
      },
    ]
  }
  const purpose = "Tests what the script does, and that the page has what it needs."
  if (language === "javascript") {
    return [
      { path: "script.test.js", purpose, content: script("javascript", blocks(plainHead, page.tests, wholeTest)) },
    ]
  }
  const content = script("typescript", blocks(moduleHead(page), page.tests, wholeTest))
  return [
    { path: "script.test.ts", purpose, content },
    { path: "serve.ts", purpose: served, content: typescriptServe },
  ]
}

function document(page: Page, { name, language }: Project): string {
  const tag =
    language === "typescript"
      ? '<script type="module" src="script.ts"></script>'
      : '<script src="script.js" defer></script>'
  return source`
    <!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="description" content="${html(page.summary)}" />
        <title>${html(name)}</title>
        <link rel="icon" href="data:," />
        <link rel="stylesheet" href="styles.css" />
        ${tag}
      </head>
      <body>
        ${page.body}
      </body>
    </html>
  `
}

const find = source`
  function find‹<T extends HTMLElement>›(id‹: string›) {
    return document.getElementById(id)‹ as T›
  }
`

const startHere = source`
  if (typeof document !== "undefined") start()
`

function moduleHead({ exports }: Page): string {
  return source`
    import assert from "node:assert/strict"
    import { readFileSync } from "node:fs"
    import { test } from "node:test"
    import { ${exports.join(", ")} } from "./script.ts"

    const read = (file: string) => readFileSync(new URL(file, import.meta.url), "utf8")
  `
}

/** Top-level functions of a plain script are globals, in a browser as well as here. */
const plainHead = source`
  import assert from "node:assert/strict"
  import { readFileSync } from "node:fs"
  import { test } from "node:test"
  import { runInThisContext } from "node:vm"

  const read = (file) => readFileSync(new URL(file, import.meta.url), "utf8")

  // The page loads a plain script, so that it opens without a server. Its functions are globals, there as here.
  runInThisContext(read("./script.js"))
`

const wholeTest = source`
  test("the page has every element that the script looks for", () => {
    const page = read("./index.html")
    for (const [, id] of read("./script.ts").matchAll(/find(?:<\w+>)?\("([\w-]+)"\)/g)) {
      assert.ok(page.includes(\`id="\${id}"\`), id)
    }
  })
`
