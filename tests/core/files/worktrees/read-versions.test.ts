import { parseVersionFiles } from "@switchyard/core/files/worktrees/repository-setup"
import { describe, expect, it } from "vitest"

const read = async (texts: Record<string, string>) =>
  (await parseVersionFiles(texts)).map(({ tool, version, file }) => `${file} ${tool}@${version}`)

describe("a repository's version files", () => {
  it.each([
    [".nvmrc", "# ours\r\nv22.11.0\r\n", "node@22.11.0"],
    [".nvmrc", "lts/*\n", "node@lts"],
    [".nvmrc", "lts/iron", "node@lts-iron"],
    [".node-version", "20", "node@20"],
    [".python-version", "system\n3.12.1 # ours\n3.11", "python@3.12.1"],
    ["go.mod", "module a.test/b\n\ngo 1.24.2 // at least\n\nrequire c.test/d v1.0.0\n", "go@1.24.2"],
    ["go.mod", "module a.test/b\ngo 1.23\ntoolchain go1.24.2\n", "go@1.24.2"],
    ["go.mod", "module a.test/b\ngo 1.23\ntoolchain default\n", "go@1.23"],
    ["rust-toolchain", "1.90.0\n", "rust@1.90.0"],
    ["rust-toolchain", "[toolchain]\nchannel = 'stable'\n", "rust@stable"],
    [
      "rust-toolchain.toml",
      '[toolchain]\nchannel = "nightly-2026-01-15"\nprofile = "minimal"',
      "rust@nightly-2026-01-15",
    ],
    [".ruby-version", "ruby-3.4.1\n", "ruby@3.4.1"],
    [".java-version", "temurin-21.0.1+12\n", "java@temurin-21.0.1+12"],
    [".tool-versions", "terraform 1.9.0\nnodejs ref:main 22.1.0 # pinned\n", "node@22.1.0"],
    ["mise.toml", '[tools]\nnode = ["22", "20"]\nterraform = "1.9"', "node@22"],
    [".mise.toml", '[tools.python]\nversion = "3.13"\npostinstall = "touch /tmp/x"', "python@3.13"],
  ])("name a version in %s: %j", async (file, text, expected) => {
    expect(await read({ [file]: text })).toEqual([`${file} ${expected}`])
  })

  it("name each language once, in mise's order", async () => {
    const texts = {
      ".nvmrc": "20",
      ".tool-versions": "nodejs 21\ngolang 1.24\n",
      "mise.toml": 'tools = { node = "22" }',
    }
    const expected = ["mise.toml node@22", ".tool-versions go@1.24"]
    expect(await read({ "go.mod": "go 1.23\n", ...texts })).toEqual(expected)
    // A later file counts if an earlier file has no plain version.
    expect(await read({ ...texts, "mise.toml": "[tools]\nnode = 'path:/tmp'" })).toContain(".tool-versions node@21")
  })

  it.each([
    ["a plugin", "mise.toml", '[plugins]\nnode = "https://evil.test/node"\n[tools]\n"asdf:evil/node" = "22"'],
    ["a backend", "mise.toml", '[tools]\n"npm:evil" = "1"\n"cargo:evil" = "1"\n"ubi:evil/evil" = "1"'],
    ["an alias", "mise.toml", '[alias.node.versions]\nmy = "path:/tmp"\n[tools]\nnode = "my"'],
    ["hooks, tasks and an environment", "mise.toml", '[env]\nA = "1"\n[hooks]\nenter = "x"\n[tasks.a]\nrun = "x"'],
    ["a template", "mise.toml", "[tools]\nnode = \"{{ exec(command='touch /tmp/x') }}\""],
    ["a path", ".tool-versions", "node path:/tmp/node\n"],
    ["an option", ".nvmrc", "--help"],
    ["an address", ".nvmrc", "https://evil.test/node.tar.gz"],
    ["a second word", ".node-version", "x npm:evil@1"],
    ["a command", ".ruby-version", "3.4;touch /tmp/x"],
    ["a variable", ".python-version", "$HOME"],
    ["another Python", ".python-version", "miniconda3-latest"],
    ["another Go", "go.mod", "go 1.24-https://evil.test\n"],
    ["a Go version inside a block", "go.mod", "require (\n\tgo 1.24\n)\n"],
    ["a folder as a toolchain", "rust-toolchain.toml", '[toolchain]\npath = "/tmp/rust"'],
    [
      "a prototype",
      "mise.toml",
      '[__proto__]\nnode = "22"\n[tools.__proto__]\nnode = "22"\n[tools]\nconstructor = "1"',
    ],
    ["a version of 10,000 digits", ".nvmrc", "1".repeat(10_000)],
    ["deep nesting", "mise.toml", `tools = ${"[".repeat(50_000)}`],
    ["broken TOML", "mise.toml", "[tools\nnode = 22"],
    ["another type", "mise.toml", "tools = 1"],
  ])("with %s in %s name nothing, and hide no other file", async (_, file, text) => {
    expect(await read({ [file]: text, ".java-version": "21" })).toEqual([".java-version java@21"])
  })
})
