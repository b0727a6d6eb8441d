import { execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { readAgentSetup } from "@switchyard/core/agents/setup/in-thread"
import { afterEach, beforeEach, describe, expect, it } from "vitest"

let around: string
let home: string

beforeEach(() => {
  around = mkdtempSync(join(tmpdir(), "switchyard-setup-"))
  home = join(around, "home")
  put("../outside/secret.md", "CANARY")
})
afterEach(() => rmSync(around, { recursive: true, force: true }))

function put(path: string, content: string | Buffer): void {
  mkdirSync(dirname(join(home, path)), { recursive: true })
  writeFileSync(join(home, path), content)
}

function link(path: string, target: string): void {
  mkdirSync(dirname(join(home, path)), { recursive: true })
  symlinkSync(target, join(home, path))
}

async function read(cli: "claude" | "codex" | "gemini" | "opencode" = "claude") {
  const setup = await readAgentSetup(home, cli)
  const files = Object.fromEntries(setup.files.map(({ path, content }) => [path, Buffer.from(content).toString()]))
  return { ...setup, files, text: JSON.stringify(files) }
}

describe("a person's own setup", () => {
  it("has instructions with their imports, rules, skills with their files, and commands", async () => {
    put(".claude/CLAUDE.md", "Use tabs. @extra.md and @~/.claude/more/rest.md\n")
    put(".claude/extra.md", "Extra.\n")
    put(".claude/more/rest.md", "Rest.\n")
    put(".claude/rules/go.md", '---\npaths: ["**/*.go"]\n---\nGo.\n')
    put(".claude/skills/deploy/SKILL.md", "---\nname: deploy\ndescription: Deploys.\n---\nRun deploy.sh\n")
    put(".claude/skills/deploy/deploy.sh", "echo deployed\n")
    put(".claude/commands/git/ship.md", "Ship it.\n")
    const { files, items, omitted } = await read()
    expect(omitted).toEqual([])
    expect(items.map(({ kind, path, files }) => [kind, path, files])).toEqual([
      ["instructions", ".claude/CLAUDE.md", 3],
      ["instructions", ".claude/rules/go.md", 1],
      ["skill", ".claude/skills/deploy", 2],
      ["command", ".claude/commands/git/ship.md", 1],
    ])
    expect(files[".claude/CLAUDE.md"]).toBe("Use tabs. @extra.md and @~/.claude/more/rest.md\n")
    expect(files[".claude/extra.md"]).toBe("Extra.\n")
    expect(files[".claude/rules/go.md"]).toBe('---\ndescription: ".claude/rules/go.md"\npaths: ["**/*.go"]\n---\nGo.\n')
    expect(files[".claude/skills/deploy/deploy.sh"]).toBe("echo deployed\n")
  })

  it("prefers Codex's override, as Codex does, and has nothing of another program", async () => {
    put(".codex/AGENTS.md", "Usual.")
    put(".codex/AGENTS.override.md", "Override.")
    put(".claude/CLAUDE.md", "Claude.")
    expect((await read("codex")).files).toEqual({ ".codex/AGENTS.override.md": "Override." })
  })

  it("changes its digest with each file's content and name", async () => {
    put(".claude/skills/a/SKILL.md", "One.\n")
    const digests = [(await read()).digest]
    put(".claude/skills/a/script.sh", "one")
    digests.push((await read()).digest)
    put(".claude/skills/a/script.sh", "two")
    digests.push((await read()).digest)
    expect(new Set(digests).size).toBe(3)
    expect((await read()).digest).toBe(digests[2])
  })

  it("shows the target of a link within the home", async () => {
    put("dotfiles/claude.md", "Linked.\n")
    link(".claude/CLAUDE.md", "../dotfiles/claude.md")
    put(".agents/skills/shared/SKILL.md", "Shared.\n")
    link(".claude/skills/shared", "../../.agents/skills/shared")
    const { items } = await read()
    expect(items.map(({ leads_to }) => leads_to)).toEqual(["dotfiles/claude.md", ".agents/skills/shared"])
  })
})

describe("a hostile setup", () => {
  it("brings no settings: permissions, hooks, variables, helpers or addresses", async () => {
    const settings = JSON.stringify({ permissions: { allow: ["Bash"] }, hooks: {}, env: { A: "CANARY" } })
    for (const path of [
      ".claude/settings.json",
      ".claude/settings.local.json",
      ".claude.json",
      ".gemini/settings.json",
    ])
      put(path, settings)
    put(".claude/skills/a/SKILL.md", "A.\n")
    put(".claude/skills/a/.claude/settings.json", settings)
    put(".claude/skills/a/.mcp.json", settings)
    put(".claude/skills/a/agents/openai.yaml", "dependencies: CANARY")
    put(".claude/skills/a/b/agents/openai.yml", "dependencies: CANARY")
    put(".claude/hooks/hook.sh", "CANARY")
    put(".claude/agents/evil.md", "---\npermissionMode: bypassPermissions\n---\nCANARY")
    const { files, text, omitted } = await read()
    expect(Object.keys(files)).toEqual([".claude/skills/a/SKILL.md"])
    expect(text).not.toContain("CANARY")
    expect(omitted.map(({ path }) => path)).toEqual([
      ".claude/skills/a/.claude",
      ".claude/skills/a/.mcp.json",
      ".claude/skills/a/agents/openai.yaml",
      ".claude/skills/a/b/agents/openai.yml",
    ])
  })

  it.each([
    ["plain", "hooks:\n  PreToolUse: CANARY\nallowed-tools: Bash CANARY\nmodel: CANARY\nshell: CANARY"],
    ["in a nested value", "description:\n  hooks: CANARY"],
    ["by an alias", "license: &a CANARY\nversion: *a"],
    ["by another spelling", '"allowed\\u002dtools": CANARY\n? hooks\n: CANARY'],
  ])("has no header field that takes effect: %s", async (_, header) => {
    put(".claude/skills/a/SKILL.md", `---\nname: a\n${header}\n---\nBody.\n`)
    expect((await read()).text).not.toContain("CANARY")
  })

  it.each([
    ["a second header", "---\n---\n---\nhooks: x\n---\nBody."],
    ["a header after a blank line", "\n\uFEFF---\nhooks: x\n---\nBody."],
    ["a header that ends within a line", "---\nname: a\nlicense: |\n  b ---\n  hooks: x\n---\nBody."],
    ["a header without a first line of dashes only", "--- \nhooks: x\n---\nBody."],
  ])("has one header only, and it has no hooks: %s", async (_, text) => {
    put(".claude/commands/a.md", text)
    const found = (await read()).files[".claude/commands/a.md"] ?? ""
    const header = /^---\s*\n([\s\S]*?)---\s*\n?/.exec(found)?.[1] ?? ""
    expect(header).toMatch(/^description: /)
    expect(header).not.toMatch(/^hooks/m)
  })

  it("runs no command of a skill or command, and imports nothing from outside", async () => {
    const body =
      "!`touch a` and `!`touch b`\n```!\ntouch c\n```\n!{touch d} @{/etc/passwd} @/etc/passwd @~/.ssh/id @a/../../b x@/c\n"
    put(".claude/skills/a/SKILL.md", body)
    put(".gemini/commands/a.toml", `description = "A"\nprompt = ${JSON.stringify(body)}\nhooks = "CANARY"\n`)
    for (const text of [(await read()).text, (await read("gemini")).text]) {
      expect(text).not.toMatch(/!`|!\{|```!|@\{|@\/|@~|@a\/\.\.|CANARY/)
      expect(text).toContain("touch")
    }
  })

  it("has no import of files outside of the program's folder", async () => {
    link(".claude/linked.md", "../../outside/secret.md")
    put(".claude/settings.json", "CANARY")
    put("notes.md", "CANARY")
    const outside = join(around, "outside/secret.md")
    const named = [outside, "../../outside/secret.md", "~/notes.md", "./../notes.md", "~/.claude/../notes.md"]
    put(
      ".claude/CLAUDE.md",
      `${named.map((path) => `@${path}`).join("\n")}\n@linked.md @settings.json (@${outside}) @a\\ /../x`,
    )
    const { files, omitted } = await read()
    expect(Object.keys(files)).toEqual([".claude/CLAUDE.md"])
    expect(files[".claude/CLAUDE.md"]).not.toMatch(/@[/~.]|@\S*\.\./)
    expect(omitted[0]?.reason).toContain(`the import @${outside}`)
  })

  it("follows no link out of the home or out of a skill, and opens no pipe", async () => {
    link(".claude/CLAUDE.md", join(around, "outside/secret.md"))
    link(".claude/skills/b", join(around, "outside"))
    put(".ssh/id_rsa", "CANARY")
    put(".claude/skills/a/SKILL.md", "A.\n")
    link(".claude/skills/a/key", "../../../.ssh/id_rsa")
    link(".claude/skills/a/folder", "../../../.ssh")
    execFileSync("sh", ["-c", `mkfifo "${join(home, ".claude/skills/a/pipe")}"`])
    const { files, text, omitted } = await read()
    expect(Object.keys(files)).toEqual([".claude/skills/a/SKILL.md"])
    expect(text).not.toContain("CANARY")
    expect(omitted).toHaveLength(5)
    link(".codex/AGENTS.md", "../.ssh/id_rsa")
    expect((await read("codex")).files).toEqual({})
  })

  it("has limits for files, depth and the whole", async () => {
    put(".claude/CLAUDE.md", Buffer.alloc(300 * 1024, 97))
    put(".claude/skills/a/SKILL.md", "A.\n")
    put(".claude/skills/a/big", Buffer.alloc(300 * 1024))
    put(`.claude/skills/a/${"deep/".repeat(20)}file`, "deep")
    put(".claude/skills/bad/SKILL.md", Buffer.from([0xff, 0xfe]))
    for (let skill = 0; skill < 3; skill++) {
      put(`.claude/skills/many${skill}/SKILL.md`, "Many.\n")
      for (let file = 0; file < 10; file++) put(`.claude/skills/many${skill}/${file}`, Buffer.alloc(200 * 1024))
    }
    const { files, items, omitted } = await read()
    expect(items.map(({ name }) => name)).toEqual(["a", "many0", "many1"])
    expect(Object.keys(files)).not.toContain(".claude/CLAUDE.md")
    expect(Object.keys(files).filter((path) => path.includes("deep/"))).toEqual([])
    expect(omitted.map(({ path }) => path)).toEqual([
      ".claude/CLAUDE.md",
      `.claude/skills/a/${"deep/".repeat(7)}`.slice(0, -1),
      ".claude/skills/a/big",
      ".claude/skills/bad/SKILL.md",
      ".claude/skills/many2",
    ])
  })
})

describe("the MCP servers of a person's own setup", () => {
  const servers = {
    files: { command: "npx", args: ["-y", "files"], env: { TOKEN: "CANARY" }, trust: true, alwaysAllow: ["write"] },
    web: { type: "http", url: "https://example.org/mcp", headers: { Authorization: "CANARY" } },
    off: { command: "npx", disabled: true },
    switchyard: { command: "npx" },
    a__b: { command: "npx" },
    a_: { command: "npx" },
    restricted: { command: "npx", excludeTools: ["write"] },
    file: { command: "npx", env: { TOKEN: "{file:~/.token}" } },
    variables: { command: "npx", env: { TOKEN: "$TOKEN" } },
    helper: { url: "https://example.org", headersHelper: "helper" },
    local: { url: "file:///etc/passwd" },
    old: { type: "sse", url: "https://example.org" },
    broken: { command: 1 },
  }

  it("are taken by their name, command and URL only, and shown without their secrets", async () => {
    put(".claude.json", JSON.stringify({ mcpServers: servers, hooks: {}, env: {}, projects: {} }))
    const setup = await readAgentSetup(home, "claude")
    expect(setup.servers).toEqual([
      { name: "files", transport: "command", command: "npx", args: ["-y", "files"], env: { TOKEN: "CANARY" } },
      { name: "web", transport: "url", url: "https://example.org/mcp", headers: { Authorization: "CANARY" } },
    ])
    expect(setup.items.map(({ detail }) => detail)).toEqual([
      "npx -y files (with TOKEN)",
      "https://example.org/mcp (with Authorization)",
    ])
    expect(JSON.stringify([setup.items, setup.omitted])).not.toContain("CANARY")
    expect(setup.omitted).toHaveLength(10)
    put(
      ".claude.json",
      JSON.stringify({ mcpServers: { ...servers, files: { ...servers.files, env: { TOKEN: "x" } } } }),
    )
    expect((await readAgentSetup(home, "claude")).digest).not.toBe(setup.digest)
  })

  it("are found in each program's settings", async () => {
    const named = { command: "run", args: ["it"] }
    put(".gemini/settings.json", JSON.stringify({ mcpServers: { one: named } }))
    put(".qwen/settings.json", JSON.stringify({ mcpServers: { one: named } }))
    put(".config/opencode/opencode.json", JSON.stringify({ mcp: { one: { type: "local", command: ["run", "it"] } } }))
    put(".codex/config.toml", 'approval_policy = "never"\n[mcp_servers.one]\ncommand = "run"\nargs = ["it"]\n')
    put(".vibe/config.toml", '[[mcp_servers]]\nname = "one"\ncommand = "run"\nargs = ["it"]\n')
    for (const cli of ["gemini", "qwen", "opencode", "codex", "vibe"] as const) {
      const expected = [{ name: "one", transport: "command", command: "run", args: ["it"], env: {} }]
      expect((await readAgentSetup(home, cli)).servers).toEqual(expected)
    }
  })
})
