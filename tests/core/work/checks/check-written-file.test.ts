import { checkWrittenFile } from "@switchyard/core/work/checks/check-written-file"
import { expect, it } from "vitest"

/** Returns the findings in a file of a project with `others`, as `rule: message`. */
async function rules(path: string, text: string, others: string[]): Promise<string[]> {
  return (await checkWrittenFile({ path, text }, others)).map(({ rule, message }) => `${rule}: ${message}`)
}

const page = (script: string) =>
  `<!doctype html>\n<html lang="en"><head><title>Tea</title></head><body><script type="module" src="${script}"></script></body></html>\n`

it("finds an import of a file that neither is there nor planned", async () => {
  const text =
    'import { price } from "../prices/list.js"\nimport { total } from "./total.js"\nexport default total(price)\n'
  expect(await rules("src/cart.js", text, ["src/total.js", "src/prices/list.js"])).toEqual([
    'missing_import: Line 1: there is no file "../prices/list.js": the project has no prices/list.js.',
  ])
  expect(await rules("src/cart.js", text, ["src/total.js", "prices/list.js"])).toEqual([])
  expect(await rules("app/main.py", "from .store import Store\n", ["app/__init__.py"])).toHaveLength(1)
  expect(await rules("app/main.py", "from .store import Store\n", ["app/__init__.py", "app/store.py"])).toEqual([])
})

it("says nothing of what the other files hold, and of links that a build may make", async () => {
  expect(
    await rules("a.js", 'import { b } from "./b.js"\nimport x from "left-pad"\nb(x)\n', ["b.js", "package.json"]),
  ).toEqual([])
  expect(await rules("index.html", page("bundle.js"), ["package.json"])).toEqual([])
  expect(await rules("index.html", page("app.js"), ["style.css"])).toEqual([
    'missing_file: Line 2: there is no file "app.js".',
  ])
})

it("finds what is wrong with the file on its own, too", async () => {
  expect(await rules("a.js", "let a = (1\n", [])).toEqual([expect.stringMatching(/^syntax: /)])
  expect(await rules("a.txt", "(\n", [])).toEqual([])
})
