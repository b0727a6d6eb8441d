import assert from "node:assert/strict"
import { readFileSync } from "node:fs"
import { test } from "node:test"

const read = (file: string) => readFileSync(new URL(file, import.meta.url), "utf8")

test("the page has every element that the script looks for", () => {
  const page = read("./index.html")
  for (const [, id] of read("./script.ts").matchAll(/find(?:<\w+>)?\("([\w-]+)"\)/g)) {
    assert.ok(page.includes(`id="${id}"`), id)
  }
})
