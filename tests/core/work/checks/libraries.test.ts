import { checkProject } from "@switchyard/core/work/checks/check-project"
import { describe, expect, it } from "vitest"

/** Returns a project's faults as `path rule: message`. */
async function found(files: Record<string, string>): Promise<string[]> {
  const findings = await checkProject(new Map(Object.entries(files)))
  return findings.map(({ path, rule, message }) => `${path} ${rule}: ${message}`)
}

const page = (head: string) =>
  `<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>A</title>\n${head}\n</head>\n<body><p>A</p></body>\n</html>\n`

describe("a member that nothing in the project has", () => {
  it.each([
    ["of a library, beside one of another word", "export const f = (page, html) => page.setContent(html)\n"],
    ["of a library, beside one of another verb", "export const f = (row) => row.getProperty('a')\n"],
    ["of a library, in other case from its first letter", "export const f = (db) => new db.LocalStorage('a')\n"],
    [
      "with a word that the project has elsewhere",
      "export const contest = 1\nexport const f = (api) => api.getContest()\n",
    ],
  ])("may be right: %s", async (_, text) => expect(await found({ "a.mjs": text })).toEqual([]))

  it.each([
    ["getElementByID('a')", 'Line 1: "document.getElementByID" doesn\'t exist. Did you mean "getElementById"?'],
    ["getElementsById('a')", 'Line 1: "document.getElementsById" doesn\'t exist. Did you mean "getElementById"?'],
    ["body.innerHtml.length", 'Line 1: "innerHtml" doesn\'t exist. Did you mean "innerHTML"?'],
    ["body.textContnet.length", 'Line 1: "textContnet" doesn\'t exist. Did you mean "textContent"?'],
  ])("is misspelt: %s", async (use, message) => {
    expect(await found({ "a.mjs": `export const f = () => document.${use}\n` })).toEqual([
      `a.mjs missing_name: ${message}`,
    ])
  })
})

describe("a library in the project", () => {
  const use = "draw()\nfunction start() {}\nstart()\n"
  it.each([
    ["that nobody here wrote", { "vendor/chart.js": "export {}\n" }, '<script src="vendor/chart.js"></script>'],
    ["that is minified", { "chart.min.js": "window;" }, '<script src="chart.min.js"></script>'],
    ["that is installed", {}, '<script src="node_modules/chart.js/dist/chart.umd.js"></script>'],
  ])("may have any names, and is there: one %s", async (_, files, script) => {
    const html = page(`${script}\n<script src="app.js"></script>`)
    expect(await found({ "index.html": html, "app.js": use, ...(files as Record<string, string>) })).toEqual([])
  })

  it("of the project's own has only its own names", async () => {
    const html = page('<script src="chart.js"></script>\n<script src="app.js"></script>')
    expect(await found({ "index.html": html, "app.js": use, "chart.js": "function paint() {}\npaint()\n" })).toEqual([
      'app.js missing_name: Line 1: "draw" is used, but the file neither declares nor imports it.',
    ])
  })
})

describe("a script that runs", () => {
  it.each([
    ["a variable whose name older engines don't know", "let using\nif (Math.random() > 2) {\n  using = () => 1\n}\n"],
    [
      "a bundle's own require",
      "module.exports = (function (require) {\n  return require('./part.js')\n})(f)\nfunction f() {}\n",
    ],
    ["a test that is left out", "xit('works', () => {})\nxdescribe('a', () => {})\n"],
    ["a plugin of a loader", "define(['text!./a.txt'], (a) => a)\nrequire('tpl!./a')\n"],
  ])("has no fault: %s", async (_, text) => {
    expect(await found({ "package.json": '{ "name": "a" }', "a.js": text })).toEqual([])
  })

  it("only in a page has no fault there, either", async () => {
    const script = "<script>\nlet using\nif (Math.random() > 2) {\n  using = () => 1\n}\n</script>"
    expect(await found({ "index.html": page(script) })).toEqual([])
    expect(await found({ "index.html": page(script.replace("=> 1", "=> ")) })).toEqual([
      expect.stringContaining("index.html syntax: Line 9:"),
    ])
  })
})
