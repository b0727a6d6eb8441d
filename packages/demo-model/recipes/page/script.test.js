import assert from "node:assert/strict"
import { readFileSync } from "node:fs"
import { test } from "node:test"
import { runInThisContext } from "node:vm"

const read = (file) => readFileSync(new URL(file, import.meta.url), "utf8")

// The page loads a plain script, so that it opens without a server: its functions are globals.
runInThisContext(read("./script.js"))

test("the page has every element that the script looks for", () => {
  const page = read("./index.html")
  for (const [, id] of read("./script.js").matchAll(/find(?:<\w+>)?\("([\w-]+)"\)/g)) {
    assert.ok(page.includes(`id="${id}"`), id)
  }
})
