import { parseRepositorySetup } from "@switchyard/core/files/worktrees/repository-setup"
import { describe, expect, it } from "vitest"

describe("a repository's set-up file", () => {
  it("has versions as they are written", async () => {
    const text = "tools: { node: 22, python: 3.10, java: temurin-21.0.1+12 }\nsetup: |\n  npm ci\ncache: [node_modules]"
    expect(await parseRepositorySetup(text)).toEqual({
      tools: { node: "22", python: "3.10", java: "temurin-21.0.1+12" },
      setup: "npm ci",
      cache: ["node_modules"],
    })
    expect(await parseRepositorySetup("{}")).toEqual({ setup: "", cache: [] })
  })

  it.each([
    ["an option as a version", "tools: { node: --help }", "`tools.node`: It must be a version"],
    ["a path as a version", "tools: { node: 'path:/etc' }", "`tools.node`: It must be a version"],
    ["a version of two lines", 'tools: { node: "22\\n" }', "`tools.node`: It must be a version"],
    ["a list as a version", "tools: { node: [22] }", "`tools.node`: Invalid input: expected string"],
    ["another tool", "tools: { perl: 5 }", '`tools`: Unrecognized key: "perl"'],
    ["another field", "set-up: npm ci", 'Unrecognized key: "set-up"'],
    ["a prototype", "__proto__: { setup: x }", 'Unrecognized key: "__proto__"'],
    ["a merged map", "<<: { setup: x }", 'Unrecognized key: "<<"'],
    ["a folder outside", "cache: [../other]", "`cache.0`: It must be a relative path"],
    ["git's folder", "cache: [.git/hooks]", "`cache.0`: It must be a relative path"],
    ["aliases", `a: &a [x]\nb: &b [${"*a,".repeat(9)}]\nc: [${"*b,".repeat(9)}]`, "must not contain YAML aliases"],
    ["deep nesting", "[".repeat(10_000), "isn't valid YAML"],
    ["two documents", "setup: a\n---\nsetup: b", "isn't valid YAML"],
    ["a field twice", "setup: a\nsetup: b", "isn't valid YAML: Map keys must be unique"],
    ["a type of JavaScript", 'setup: !!js/function "x"', "isn't valid YAML"],
    ["nothing", "", "expected object"],
  ])("with %s is refused, with the field and the way out", async (_, text, reason) => {
    const parsed = parseRepositorySetup(text)
    await expect(parsed).rejects.toMatchObject({ code: "setup_failed", message: expect.stringContaining(reason) })
    await expect(parsed).rejects.toThrow(
      /^The repository's \.switchyard\/setup\.yaml can't be used\. .* start a new session from that commit\.$/s,
    )
  })
})
