import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it } from "vitest"
import { removeFolder } from "./remove-folder.ts"

/** Starts a process that creates `files` files in a new folder. */
async function writer(files: number): Promise<{ folder: string; child: ChildProcess }> {
  const folder = mkdtempSync(join(tmpdir(), "removed-"))
  const script = `i=0; while [ $i -lt ${files} ]; do mkdir -p objects/$i; : > objects/$i/file; i=$((i+1)); done`
  const child = spawn("/bin/sh", ["-c", script], { cwd: folder, stdio: "ignore" })
  await expect.poll(() => existsSync(join(folder, "objects/1/file")), { interval: 1 }).toBe(true)
  return { folder, child }
}

it("waits for a program that still writes into the folder", async () => {
  const { folder, child } = await writer(300)
  const ended = once(child, "exit")
  await removeFolder(folder, { kill: false })
  expect(existsSync(folder)).toBe(false)
  expect(await ended).toEqual([0, null])
})

it("kills one that would never end", async () => {
  const { folder, child } = await writer(1_000_000_000)
  const ended = once(child, "exit")
  await removeFolder(folder, { kill: true })
  expect(existsSync(folder)).toBe(false)
  expect(await ended).toEqual([null, "SIGKILL"])
})
