import assert from "node:assert/strict"
import { spawnSync } from "node:child_process"
import { test } from "node:test"
import { fileURLToPath } from "node:url"

const cli = fileURLToPath(new URL("./cli.ts", import.meta.url))

function run(args: string[], piped = "") {
  return spawnSync(process.execPath, [cli, ...args], { input: piped, encoding: "utf8" })
}

test("prints the answer for its arguments", () => {
  const { status, stdout } = run(["so it is"])
  assert.equal(status, 0)
  assert.match(stdout, /SO IT IS/)
})

test("reads from a pipe", () => {
  const { status, stdout } = run([], "so it is")
  assert.equal(status, 0)
  assert.match(stdout, /SO IT IS/)
})

test("shows its usage without phrase", () => {
  const { status, stdout } = run([])
  assert.equal(status, 0)
  assert.match(stdout, /Usage/)
})

test("says what is wrong", () => {
  const { status, stderr } = run(["?!"])
  assert.equal(status, 1)
  assert.notEqual(stderr, "")
})
