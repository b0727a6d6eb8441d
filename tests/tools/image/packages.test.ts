import { spawnSync } from "node:child_process"
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs"
import { mkdtemp } from "node:fs/promises"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"
import { describe, expect, it } from "vitest"
import { readImagePackages } from "../../../tools/cloud/image-packages.ts"
import { removeFolder } from "../../remove-folder.ts"

const agents = { agents: true }

describe("RUNNER_PACKAGES", () => {
  it("names Debian packages, separated by spaces", () => {
    expect(readImagePackages(" golang-go  g++ libssl3 python3.11\ngolang-go ", agents)).toEqual([
      "golang-go",
      "g++",
      "libssl3",
      "python3.11",
    ])
    for (const none of [undefined, "", " "]) expect(readImagePackages(none, { agents: false })).toEqual([])
  })

  it.each([
    ...["-o=APT::x=y", "git-", "../git", "git=1.2", "git/sid", "lib*", "Git", "g", "git;id", "$(id)", "git,curl"],
    "a".repeat(100),
  ])("refuses %s", (name) => {
    expect(() => readImagePackages(`maven ${name}`, agents)).toThrow(
      `RUNNER_PACKAGES: "${name.slice(0, 80)}" isn't the name of a Debian package. Separate names with spaces`,
    )
  })

  it("takes at most 100 names, and needs agents", () => {
    const names = (count: number) => Array.from({ length: count }, (_, index) => `lib${index}`).join(" ")
    expect(readImagePackages(names(100), agents)).toHaveLength(100)
    expect(() => readImagePackages(names(101), agents)).toThrow("at most 100 packages, not 101")
    expect(() => readImagePackages("maven", { agents: false })).toThrow("RUNNER_PACKAGES needs AGENTS=on")
  })
})

/** Runs `packages.sh` with stand-ins for apt that know two packages. */
async function install(...names: string[]) {
  const folder = await mkdtemp(join(tmpdir(), "packages-"))
  try {
    const calls = join(folder, "calls")
    const program = (name: string, script: string) => {
      writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`)
      chmodSync(join(folder, name), 0o755)
    }
    program("apt-get", `echo "$*" >> ${calls}`)
    program("apt-cache", `printf 'maven\\nmaven-repo\\n'`)
    for (const name of ["rm", "mkdir"]) program(name, "")
    const script = join(import.meta.dirname, "../../../tools/image/packages.sh")
    const env = { PATH: `${folder}${delimiter}${process.env.PATH}` }
    const { status, stderr } = spawnSync("/bin/sh", [script, ...names], { env, encoding: "utf8" })
    return { status, stderr, calls: existsSync(calls) ? readFileSync(calls, "utf8").trim().split("\n") : [] }
  } finally {
    await removeFolder(folder, { kill: false })
  }
}

describe("the image's packages", () => {
  it("are installed without what they recommend", async () => {
    const { status, calls } = await install("maven")
    expect(status).toBe(0)
    expect(calls).toEqual(["update -q", "install -q -y --no-install-recommends maven", "clean"])
  })

  it.each(["mavem", "maven-", "m.ven", "mave"])("must exist, which %s doesn't", async (name) => {
    expect(await install("maven", name)).toEqual({
      status: 1,
      stderr: `Debian has no package named ${name}. Correct RUNNER_PACKAGES.\n`,
      calls: ["update -q"],
    })
  })

  it("can be none", async () => {
    expect(await install()).toEqual({ status: 0, stderr: "", calls: [] })
  })
})
