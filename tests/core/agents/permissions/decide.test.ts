import { decidePermission, ruleFor } from "@switchyard/core/agents/permissions/decide"
import type { PermissionMode, PermissionRequest, PermissionRule } from "@switchyard/core/agents/permissions/schema"
import fc from "fast-check"
import { describe, expect, it } from "vitest"

const decide = (mode: PermissionMode, request: Partial<PermissionRequest>, rules: PermissionRule[] = []) =>
  decidePermission({ mode, rules }, { tool: "other", name: "Tool", ...request }).effect
const made = (request: Partial<PermissionRequest>): PermissionRule[] => {
  const rule = ruleFor({ tool: "other", name: "Tool", ...request })
  return rule ? [rule] : []
}
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
    expect(decide("bypass", run("sudo rm -rf ."), [deny({ command: "rm" })])).toBe("deny")
    expect(decide("bypass", edit("a.ts", "secrets/key"), [deny({ path: "secrets/**" })])).toBe("deny")
  })

  it("asks about a command that was not parsed", () => {
    expect(decide("bypass", run("echo $(ls)"), [deny({ command: "rm" })])).toBe("ask")
    expect(decide("bypass", run("echo $(ls)"))).toBe("allow")
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
          const rules = made(run(command))
          expect(decide("ask", run(command), rules)).toBe("allow")
          expect(decide("ask", run(`${command}${glue}rm`), rules)).toBe("ask")
        },
      ),
    )
  })

  it("made from a file allows ordinary files of the worktree, and nothing else", () => {
    const rules = made(edit("src/a.ts"))
    expect(
      ["b.ts", "src/a.ts", "../b.ts", "/b.ts", ".git/config", "x/.claude/y"].map((path) =>
        decide("ask", edit(path), rules),
      ),
    ).toEqual(["allow", "allow", "ask", "ask", "ask", "ask"])
    expect(decide("bypass", edit(".git/config"), [deny({ path: "**" })])).toBe("deny")
  })

  it.each(["/etc/hosts", "../outside.txt", ".git/config"])("made from %s allows that alone", (path) => {
    const rules = made(edit(path))
    expect(decide("ask", edit(path), rules)).toBe("allow")
    expect(decide("ask", edit(`${path}2`), rules)).toBe("ask")
    expect(decide("ask", edit(`${path}/../x`), rules)).toBe("ask")
  })

  it.each([
    ["node --version", ["node --version evil.js", "node evil.js", "node"]],
    ["python3 -m pytest", ["python3 /tmp/evil.py", "python3 -m pytest -p evil"]],
    ["timeout 60 npm test", ["timeout 60 rm -rf", "timeout 60 npm test x"]],
    ["git -C . status", ["git push --force", "git -C . push", "git -C .. status"]],
    ["npm test", ["npm test --prefix /tmp/evil", "npm run x"]],
    ["rm -rf build", ["rm -rf .", "rm -rf build ."]],
    ["make && make test", ["make && make install", "make"]],
    ["ls", ["ls /etc"]],
  ])("made from the command `%s` is for that text alone", (command, others) => {
    const rules = made(run(command))
    expect(rules).toEqual([{ tool: "bash", command, exact: true, effect: "allow" }])
    expect(decide("ask", run(command), rules)).toBe("allow")
    for (const other of others) expect([other, decide("ask", run(other), rules)]).toEqual([other, "ask"])
  })

  it("made from one of git's commands that run nothing else is for all that begin alike", () => {
    const rules = made(run("git add a.ts"))
    expect(rules).toEqual([{ tool: "bash", command: "git add", effect: "allow" }])
    expect(decide("ask", run("git add b.ts"), rules)).toBe("allow")
    expect(decide("ask", run("git -c core.fsmonitor=x add b.ts"), rules)).toBe("ask")
    expect(made(run("git add a.ts; x"))).toMatchObject([{ exact: true }])
  })

  it.each<[string, Partial<PermissionRequest>]>([
    ["a command that isn't known", { tool: "bash" }],
    ["a command of which only the beginning is known", { ...run("ls"), incomplete: true }],
    ["a command that is longer than a rule", run(`ls ${"a".repeat(1000)}`)],
    ["a read of unknown files", { tool: "read" }],
    ["an edit of unknown files", { tool: "edit" }],
    ["an unknown tool", { incomplete: true }],
    ["two files elsewhere", edit("/a", "/b")],
    ["a file elsewhere whose name is a pattern", edit("/etc/*")],
  ])("can't be made from %s", (_what, request) => {
    expect(made(request)).toEqual([])
  })
})

describe("a request that doesn't say all", () => {
  const unknownCommand: Partial<PermissionRequest> = { tool: "bash", name: "Bash" }
  const cutCommand = { ...run("ls"), incomplete: true }
  const unknownFiles: Partial<PermissionRequest> = { tool: "write", name: "Write" }
  const unreadable: Partial<PermissionRequest> = { ...edit("a.ts"), incomplete: true }
  const unknownTool: Partial<PermissionRequest> = { tool: "other", name: "frob", incomplete: true }
  const rule = (of: Partial<PermissionRule>): PermissionRule => ({ tool: "any", effect: "deny", ...of })

  it.each<[string, Partial<PermissionRequest>, PermissionRule]>([
    ["a command that isn't known", unknownCommand, rule({ tool: "bash", command: "rm" })],
    ["an empty command", run(""), rule({ command: "rm" })],
    ["a command of which only the beginning is known", cutCommand, rule({ command: "rm" })],
    ["unknown files", unknownFiles, rule({ tool: "write", path: "secrets/**" })],
    ["unknown files, for a rule about edits", unknownFiles, rule({ tool: "edit", path: "secrets/**" })],
    ["a read without paths", { tool: "read" }, rule({ tool: "read", path: "secrets/**" })],
    ["arguments that can't be read", unreadable, rule({ path: "secrets/**" })],
    ["an unknown tool, for a rule about commands", unknownTool, rule({ tool: "bash", command: "rm" })],
    ["an unknown tool, for a rule about files", unknownTool, rule({ tool: "edit", path: "secrets/**" })],
    ["an unknown tool, for a rule about another", unknownTool, rule({ tool: "mcp", name: "mcp__x__y" })],
  ])("is asked about for %s, whatever else is allowed", (_what, request, of) => {
    const all: PermissionRule = { tool: "any", effect: "allow" }
    expect(decide("bypass", request, [of])).toBe("ask")
    expect(decide("bypass", request, [of, all])).toBe("ask")
    expect(decide("bypass", request, [all, { ...of, effect: "ask" }])).toBe("ask")
  })

  it("is allowed by no rule that needs the rest, and by no mode but bypass", () => {
    const rules: PermissionRule[] = [rule({ command: "ls", effect: "allow" }), rule({ path: "**", effect: "allow" })]
    for (const request of [
      unknownCommand,
      cutCommand,
      unknownFiles,
      unreadable,
      unknownTool,
      { tool: "read" as const },
    ]) {
      expect(decide("accept_edits", request, rules)).toBe("ask")
      expect(decide("plan", request, rules)).toBe("deny")
      expect(decide("bypass", request, rules)).toBe("allow")
    }
  })

  it("is denied by a rule that needs nothing of the rest", () => {
    expect(decide("bypass", unknownCommand, [rule({ tool: "bash" })])).toBe("deny")
    expect(decide("bypass", unreadable, [rule({ path: "a.ts" })])).toBe("deny")
  })

  it("says all if it is a search of the whole worktree, or a tool without files", () => {
    expect(decide("plan", { tool: "grep", name: "Grep" })).toBe("allow")
    expect(
      decide("bypass", { tool: "mcp", name: "mcp__x__y" }, [rule({ command: "rm" }), rule({ path: "a/**" })]),
    ).toBe("allow")
    expect(decide("bypass", { name: "WebFetch" }, [rule({ tool: "bash", command: "rm" })])).toBe("allow")
  })
})

describe("a rule that asks", () => {
  it("asks if it is about one file of several", () => {
    const rules: PermissionRule[] = [{ tool: "edit", path: "secrets/**", effect: "ask" }]
    expect(decide("accept_edits", edit("a.ts", "secrets/key"), rules)).toBe("ask")
    expect(decide("accept_edits", edit("a.ts"), rules)).toBe("allow")
  })
})
