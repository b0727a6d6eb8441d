import { decidePermission, ruleFor } from "@switchyard/core/agents/permissions/decide"
import type { PermissionMode, PermissionRequest, PermissionRule } from "@switchyard/core/agents/permissions/schema"
import fc from "fast-check"
import { describe, expect, it } from "vitest"

const decide = (mode: PermissionMode, request: Partial<PermissionRequest>, rules: PermissionRule[] = []) =>
  decidePermission({ mode, rules }, { tool: "other", name: "Tool", ...request }).effect
const run = (command: string): Partial<PermissionRequest> => ({ tool: "bash", name: "Bash", command })
const edit = (...paths: string[]): Partial<PermissionRequest> => ({ tool: "edit", name: "Edit", paths })
const read = (...paths: string[]): Partial<PermissionRequest> => ({ tool: "read", name: "Read", paths })

describe("the mode of an agent", () => {
  it.each<[string, Partial<PermissionRequest>, Record<PermissionMode, string>]>([
    ["a read inside", read("src/a.ts"), { ask: "allow", accept_edits: "allow", plan: "allow", bypass: "allow" }],
    ["a read outside", read("/etc/passwd"), { ask: "ask", accept_edits: "ask", plan: "deny", bypass: "allow" }],
    ["an edit inside", edit("src/a.ts"), { ask: "ask", accept_edits: "allow", plan: "deny", bypass: "allow" }],
    ["an edit by ..", edit("src/../../a.ts"), { ask: "ask", accept_edits: "ask", plan: "deny", bypass: "allow" }],
    ["an edit of the home", edit("~/.bashrc"), { ask: "ask", accept_edits: "ask", plan: "deny", bypass: "allow" }],
    ["an edit of git's own", edit(".git/hooks/a"), { ask: "ask", accept_edits: "ask", plan: "deny", bypass: "allow" }],
    ["an edit of settings", edit(".Claude/x.json"), { ask: "ask", accept_edits: "ask", plan: "deny", bypass: "allow" }],
    ["one edit of two", edit("a.ts", "/b.ts"), { ask: "ask", accept_edits: "ask", plan: "deny", bypass: "allow" }],
    ["an edit of unknown files", edit(), { ask: "ask", accept_edits: "ask", plan: "deny", bypass: "allow" }],
    ["a command", run("ls"), { ask: "ask", accept_edits: "ask", plan: "deny", bypass: "allow" }],
    ["any other tool", {}, { ask: "ask", accept_edits: "ask", plan: "deny", bypass: "allow" }],
  ])("decides on %s", (_what, request, wanted) => {
    for (const [mode, effect] of Object.entries(wanted)) {
      expect([mode, decide(mode as PermissionMode, request)]).toEqual([mode, effect])
    }
  })
})

describe("a rule", () => {
  const allow = (rule: Partial<PermissionRule>): PermissionRule => ({ tool: "any", effect: "allow", ...rule })
  const deny = (rule: Partial<PermissionRule>): PermissionRule => ({ tool: "any", effect: "deny", ...rule })

  it("that denies wins over all others, in any mode", () => {
    expect(decide("bypass", run("rm -rf ."), [deny({ command: "rm" }), allow({ command: "rm" })])).toBe("deny")
    expect(decide("bypass", run("true && rm -rf ."), [deny({ command: "rm" })])).toBe("deny")
    expect(decide("bypass", run("echo $(rm -rf .)"), [deny({ command: "rm" })])).toBe("deny")
    expect(decide("bypass", edit("a.ts", "secrets/key"), [deny({ path: "secrets/**" })])).toBe("deny")
  })

  it("that comes later wins over an earlier one", () => {
    const rules = [allow({ tool: "bash" }), { ...allow({ command: "npm publish" }), effect: "ask" as const }]
    expect(decide("ask", run("npm test"), rules)).toBe("allow")
    expect(decide("ask", run("npm publish"), rules)).toBe("ask")
    expect(decide("ask", run("npm publish"), [...rules].reverse())).toBe("allow")
  })

  it.each([
    ["npm test", true],
    ["npm test -- --watch=no", true],
    ["npm testing", false],
    ["npm", false],
    ["npm test; rm -rf .", false],
    ["npm test && curl evil", false],
    ["npm test | sh", false],
    ["npm test $(rm x)", false],
    ["npm test `rm x`", false],
    ["npm test\nrm x", false],
    ["npm test > /etc/passwd", false],
    ["npm test #", false],
    ["FOO=1 npm test", false],
  ])("for the command `npm test` says of `%s`: %s", (command, isAllowed) => {
    expect(decide("ask", run(command), [allow({ tool: "bash", command: "npm test" })])).toBe(
      isAllowed ? "allow" : "ask",
    )
  })

  it.each([
    ["src/**", "src/a/b.ts", true],
    ["src/**", "src", true],
    ["src/*", "src/a/b.ts", false],
    ["src/*.ts", "src/a.ts", true],
    ["**/*.test.ts", "a.test.ts", true],
    ["**/*.test.ts", "src/deep/a.test.ts", true],
    ["**/*.test.ts", "src/deep/a.ts", false],
    ["src/**", "src/../secrets", false],
    ["**", "../outside", false],
    ["**", "/etc/passwd", false],
    ["**", ".git/hooks/a", false],
    [".git/**", ".git/config", true],
    ["*/config", ".GIT/config", false],
    ["a*b*c", "abc", true],
    ["a*b*c", "a-b-c", true],
    ["a*bc", "abcc", false],
  ])("for %s says of %s: %s", (path, file, isAllowed) => {
    expect(decide("ask", edit(file), [allow({ tool: "edit", path })])).toBe(isAllowed ? "allow" : "ask")
  })

  it("takes a time that grows with pattern and path alone, whatever they are", () => {
    const path = `${"**/".repeat(200)}x`
    const file = `${"a/".repeat(500)}y`
    expect(decide("ask", edit(file), [allow({ path })])).toBe("ask")
    expect(decide("ask", edit("a".repeat(50_000)), [allow({ path: `${"*a".repeat(400)}b` })])).toBe("ask")
  })

  it("made from a request allows that request, and nothing that a shell adds to it", () => {
    const word = fc.stringMatching(/^[a-z]{1,6}$/)
    fc.assert(
      fc.property(
        fc.array(word, { minLength: 1, maxLength: 4 }),
        fc.constantFrom(";", "|", "&&", "\n"),
        (words, glue) => {
          const command = words.join(" ")
          const rule = ruleFor({ tool: "bash", name: "Bash", command })
          expect(decide("ask", run(command), [rule])).toBe("allow")
          expect(decide("ask", run(`${command}${glue}rm`), [rule])).toBe("ask")
        },
      ),
    )
  })

  it("made from a file allows ordinary files of the worktree, and nothing else", () => {
    const rule = ruleFor({ tool: "edit", name: "Edit", paths: ["src/a.ts"] })
    expect(
      ["b.ts", "src/a.ts", "../b.ts", "/b.ts", ".git/config", "x/.claude/y"].map((path) =>
        decide("ask", edit(path), [rule]),
      ),
    ).toEqual(["allow", "allow", "ask", "ask", "ask", "ask"])
    expect(decide("bypass", edit(".git/config"), [deny({ path: "**" })])).toBe("deny")
  })

  it.each(["/etc/hosts", "../outside.txt", ".git/config"])("made from %s allows that alone", (path) => {
    const rule = ruleFor({ tool: "edit", name: "Edit", paths: [path] })
    expect(decide("ask", edit(path), [rule])).toBe("allow")
    expect(decide("ask", edit(`${path}2`), [rule])).toBe("ask")
    expect(decide("ask", edit(`${path}/../x`), [rule])).toBe("ask")
  })

  it("made from a command of a shell is for that command alone", () => {
    const rule = ruleFor({ tool: "bash", name: "Bash", command: "make && make test" })
    expect(decide("ask", run("make && make test"), [rule])).toBe("allow")
    expect(decide("ask", run("make && make install"), [rule])).toBe("ask")
  })
})
