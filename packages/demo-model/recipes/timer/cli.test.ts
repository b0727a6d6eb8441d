import assert from "node:assert/strict"
import { spawnSync } from "node:child_process"
import { test } from "node:test"
import { fileURLToPath } from "node:url"

const cli = fileURLToPath(new URL("./cli.ts", import.meta.url))

function run(...args: string[]) {
  return spawnSync(process.execPath, [cli, ...args], { encoding: "utf8" })
}

test("counts down to the end", () => {
  const { status, stdout } = run("1s")
  assert.equal(status, 0)
  assert.equal(stdout, "0:01\nTime is up.\n")
})

test("says what is wrong", () => {
  assert.equal(run("soon").status, 1)
  assert.match(run("soon").stderr, /Write a time/)
})

test("shows its usage without a time", () => {
  assert.equal(run().status, 0)
  assert.match(run().stdout, /Usage/)
})
