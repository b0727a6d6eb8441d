import { execFileSync } from "node:child_process"
import { chownSync } from "node:fs"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
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
  it("is refused for the reason that is true", async () => {
    const reasonFor = (path: string) =>
      checkFolder(path, { agentUser: undefined, signal }).catch(({ message }: Error) => message)
    expect(await reasonFor(join(folder, "missing"))).toBe("This folder doesn't exist on the server's machine.")
    await writeFile(join(folder, "file"), "")
    expect(await reasonFor(join(folder, "file"))).toBe("This is not a folder. Enter the repository's folder.")
    expect(await reasonFor(join(folder, "file/inside"))).toBe("This folder doesn't exist on the server's machine.")
    expect(await reasonFor(folder)).toBe("This folder is not in a git repository.")
  })

  it("must be in a repository", async () => {
    await expect(checkFolder(folder, { agentUser: undefined, signal })).rejects.toMatchObject({ code: "task_invalid" })
    execFileSync("git", ["init", "--quiet", folder])
    await checkFolder(folder, { agentUser: undefined, signal })
  })

  it("may be the agents' own where they have a user", asRoot, async () => {
    execFileSync("git", ["init", "--quiet", folder])
    for (const path of [folder, join(folder, ".git")]) chownSync(path, NOBODY, NOBODY)
    await expect(checkFolder(folder, { agentUser: undefined, signal })).rejects.toThrow(/belongs to another user/)
    await checkFolder(folder, { agentUser: "nobody", signal })
  })
})
