import { decidePermission } from "@switchyard/core/agents/permissions/decide"
import { combineRules, isReadOnly, parseRepositoryRules } from "@switchyard/core/agents/permissions/repository-rules"
import type { PermissionMode, PermissionRequest, PermissionRule } from "@switchyard/core/agents/permissions/schema"
import { describe, expect, it } from "vitest"

const FILE = `
deny:
  - { tool: bash, command: git push }
  - path: secrets/**
ask:
  - { tool: bash, command: npm publish }
allow:
  - { tool: bash, command: npm test }
  - { tool: bash, command: "npm publish" }
  - { tool: bash, command: rm -rf out, exact: true }
readOnly: [migrations, ./LICENSE, "**/*.lock"]
`
const bash = (command: string): PermissionRequest => ({ tool: "bash", name: "Bash", command })
const write = (path: string): PermissionRequest => ({ tool: "write", name: "Write", paths: [path] })

async function effect(
  request: PermissionRequest,
  {
    owner = [],
    allows = false,
    mode = "bypass",
  }: { owner?: PermissionRule[]; allows?: boolean; mode?: PermissionMode },
) {
  const repository = await parseRepositoryRules(FILE)
  return decidePermission({ mode, rules: combineRules({ owner, repository, allows }) }, request).effect
}

describe("a repository's rules", () => {
  it("deny and ask at once, whatever the owner's rules allow", async () => {
    const owner: PermissionRule[] = [{ tool: "any", effect: "allow" }]
    expect(await effect(bash("git push"), { owner })).toBe("deny")
    expect(await effect({ tool: "read", name: "Read", paths: ["secrets/key"] }, { owner })).toBe("deny")
    expect(await effect(bash("npm publish"), { owner })).toBe("ask")
    expect(await effect(bash("ls"), { owner })).toBe("allow")
  })

  it("allow only with consent, and never against a rule of the owner or the file's own rules", async () => {
    expect(await effect(bash("npm test"), { mode: "ask" })).toBe("ask")
    expect(await effect(bash("npm test"), { mode: "ask", allows: true })).toBe("allow")
    expect(await effect(bash("rm -rf out"), { mode: "ask", allows: true })).toBe("allow")
    expect(await effect(bash("rm -rf out x"), { mode: "ask", allows: true })).toBe("ask")
    expect(await effect(bash("npm publish"), { mode: "ask", allows: true })).toBe("ask")
    for (const refusal of ["ask", "deny"] as const) {
      const owner: PermissionRule[] = [{ tool: "bash", command: "npm", effect: refusal }]
      expect(await effect(bash("npm test"), { mode: "ask", allows: true, owner })).toBe(refusal)
    }
    expect(await effect(bash("npm test"), { mode: "plan", allows: true })).toBe("deny")
  })

  it("let no agent write read-only files, or the file itself", async () => {
    const refused = ["migrations/1.sql", "migrations", "LICENSE", "a/b/yarn.lock", ".switchyard/permissions.yaml"]
    const tricks = ["license", "MIGRATIONS/2.sql", "migra\u200Btions/x", "ＬICENSE", "./LICENSE", "src/../LICENSE"]
    for (const path of [...refused, ...tricks]) expect([path, await effect(write(path), {})]).toEqual([path, "deny"])
    for (const path of ["src/LICENSE", "migrations.md", "a.locked"])
      expect([path, await effect(write(path), {})]).toEqual([path, "allow"])
  })

  it("count a submodule as read-only if anything in it may be", async () => {
    const rules = { read_only: ["vendor/lib/src"] }
    expect(isReadOnly(rules, "vendor/lib", { isModule: true })).toBe(true)
    expect(isReadOnly(rules, "vendor/lib")).toBe(false)
    expect(isReadOnly(rules, "vendor/other", { isModule: true })).toBe(false)
  })

  it.each([
    ["a rule of another kind", "deny:\n  - tool: bash\n    comand: rm\n", "Line 2, `deny.0`: Unrecognized key"],
    ["an unknown tool", "deny:\n\n  - { tool: shell }\n", "Line 3, `deny.0.tool`: Invalid"],
    ["a rule for everything", "ask:\n  - {}\n", "Line 2, `ask.0`: It must have a `tool`"],
    ["an empty command", "deny: [{ command: '' }]", "Line 1, `deny.0`: A field must not be empty"],
    ["a path outside", "deny: []\nreadOnly: [../x]", "Line 2, `readOnly.0`: It must be a relative path"],
    ["an absolute path", "readOnly: [/etc]", "Line 1, `readOnly.0`: It must be a relative path"],
    ["another field", "read-only: [x]", 'Unrecognized key: "read-only"'],
    ["a mode", "mode: bypass", 'Unrecognized key: "mode"'],
    ["a prototype", "__proto__: { deny: [] }", 'Unrecognized key: "__proto__"'],
    ["broken text", "deny:\n  - tool: bash\n bad", "Line 3 isn't valid YAML"],
    ["aliases", `a: &a [x]\nb: &b [${"*a,".repeat(9)}]\nc: [${"*b,".repeat(9)}]`, "must not contain YAML aliases"],
    ["deep nesting", `${"[".repeat(5000)}${"]".repeat(5000)}`, "can't be used"],
    ["a field twice", "deny: []\ndeny: []", "Line 2 isn't valid YAML: Map keys must be unique"],
    ["nothing", "", "expected object"],
    ["too many rules", `deny: [${"{ tool: bash },".repeat(51)}]`, "`deny`: Too big"],
  ])("with %s can't be used, and say where and what to do", async (_, text, reason) => {
    const parsed = parseRepositoryRules(text)
    await expect(parsed).rejects.toMatchObject({ code: "setup_failed", message: expect.stringContaining(reason) })
    await expect(parsed).rejects.toThrow(/no agent, chat or team may change the repository\. Correct the file/)
  })
})
