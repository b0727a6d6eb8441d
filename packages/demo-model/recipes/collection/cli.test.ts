import assert from "node:assert/strict"
import { spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, test } from "node:test"
import { fileURLToPath } from "node:url"

const cli = fileURLToPath(new URL("./cli.ts", import.meta.url))
const folder = mkdtempSync(join(tmpdir(), "samples-"))
after(() => rmSync(folder, { recursive: true }))

function run(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [cli, ...args], { cwd: folder, encoding: "utf8" })
  return { status, output: stdout + stderr }
}

function saved() {
  return JSON.parse(readFileSync(join(folder, "samples.json"), "utf8"))
}

test("keeps samples from one run to the next", () => {
  run("add", "One sample")
  run("add", "Another sample")
  const [one, other] = saved()
  assert.ok(run("list").output.includes(one.caption))

  assert.equal(run("flag", one.id).status, 0)
  assert.equal(run("remove", other.id).status, 0)
  assert.deepEqual(saved(), [{ ...one, flagged: true }])
})

test("says what is wrong", () => {
  assert.match(run("remove", "nothing").output, /no sample "nothing"/)
  assert.match(run().output, /Usage: .* add <caption>/)
})
