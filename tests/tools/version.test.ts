import { execFileSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { codeVersion } from "../../tools/cloud/version.ts"

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "switchyard-version-"))
})
afterEach(() => rmSync(folder, { recursive: true }))

function git(...args: string[]): string {
  const person = ["-c", "user.name=A", "-c", "user.email=a@example.com"]
  return execFileSync("git", ["-C", folder, ...person, ...args], { encoding: "utf8" }).trim()
}

describe("the version of deployed code", () => {
  it("names the commit, by which it can be deployed again, and says whether files were changed", () => {
    git("init", "--quiet")
    writeFileSync(join(folder, "a.txt"), "a")
    git("add", ".")
    git("commit", "--quiet", "-m", "a")
    const version = codeVersion(folder, "1.2.3")
    expect(version).toMatch(/^1\.2\.3\+[0-9a-f]{12}$/)
    expect(git("rev-parse", "HEAD").startsWith(version.slice("1.2.3+".length))).toBe(true)

    writeFileSync(join(folder, "a.txt"), "b")
    expect(codeVersion(folder, "1.2.3")).toBe(`${version}.changed`)
  })

  it("is the plain one where there is no commit", () => {
    expect(codeVersion(join(folder, "nothing"), "1.2.3")).toBe("1.2.3")
    git("init", "--quiet")
    expect(codeVersion(folder, "1.2.3")).toBe("1.2.3")
  })
})
