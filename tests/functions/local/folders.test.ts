import { execFileSync } from "node:child_process"
import { chownSync } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { checkFolder } from "@switchyard/functions/local/folders"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { needs } from "../../needs.ts"

const { signal } = new AbortController()
let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "switchyard-folders-"))
})
afterEach(() => rm(folder, { recursive: true }))

const asRoot = needs(process.getuid?.() === 0 ? undefined : "only root can give a folder to another user")
const NOBODY = 65_534

describe("a folder for agents", () => {
  it("must be in a repository", async () => {
    await expect(checkFolder(folder, { agentUser: undefined, signal })).rejects.toMatchObject({ code: "task_invalid" })
    execFileSync("git", ["init", "--quiet", folder])
    await checkFolder(folder, { agentUser: undefined, signal })
  })

  it("may be the agents' own where they have a user", asRoot, async () => {
    execFileSync("git", ["init", "--quiet", folder])
    for (const path of [folder, join(folder, ".git")]) chownSync(path, NOBODY, NOBODY)
    await expect(checkFolder(folder, { agentUser: undefined, signal })).rejects.toMatchObject({ code: "task_invalid" })
    await checkFolder(folder, { agentUser: "nobody", signal })
  })
})
