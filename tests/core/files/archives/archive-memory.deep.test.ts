import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { commitChanges } from "@switchyard/core/files/workspaces/commit"
import { describe, expect, it } from "vitest"
import { incompressible, newStage, put, signal } from "../workspaces/stage.ts"

const MB = 1024 * 1024

/** Resolves to the peak memory, in bytes, of a process that archives incompressible files of these sizes. */
async function peakBytes(sizes: number[]): Promise<number> {
  await using stage = await newStage()
  for (const [index, size] of sizes.entries()) {
    await commitChanges(stage, stage.session, [put(`file-${index}`, incompressible(size))], { signal })
  }
  const args = ["--max-old-space-size=64", new URL("archiver.ts", import.meta.url).pathname, stage.directory]
  const { stdout } = await promisify(execFile)(process.execPath, args)
  return JSON.parse(stdout).peakBytes
}

describe("the memory that an archive takes", () => {
  it("doesn't grow with a workspace of large files, nor with one of many", async () => {
    const least = await peakBytes([1000])
    const large = await peakBytes([100 * MB, 60 * MB])
    const many = await peakBytes(Array.from({ length: 250 }, () => 0.8 * MB))
    expect(large - least).toBeLessThan(60 * MB)
    expect(many - least).toBeLessThan(60 * MB)
  })
})
