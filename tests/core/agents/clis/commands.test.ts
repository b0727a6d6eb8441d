import { type BuiltInCli, clis } from "@switchyard/core/agents/clis/clis"
import { PermissionMode } from "@switchyard/core/agents/permissions/schema"
import { protocols } from "@switchyard/core/agents/protocols/protocols"
import { describe, expect, it } from "vitest"

const task = {
  prompt: "-- do\n$(it) 'now'",
  root: "/project",
  cwd: "/project",
  home: "/homes/anna",
  model: "m",
  reasoning: "high",
  resume: "ses-1",
  tools: { url: "http://127.0.0.1:8/mcp/its-own-token", bareUrl: "http://127.0.0.1:8/mcp", token: "its-own-token" },
}
const account = { apiKey: "sk-secret-key-of-anna", baseUrl: "http://127.0.0.1:9" }
const ids = Object.keys(clis) as BuiltInCli[]

describe.each(ids)("the command of %s", (id) => {
  const commands = [
    clis[id].plan(task, account, protocols).command,
    clis[id].tui(task, account),
    clis[id].fallback?.(task, account, protocols).command,
  ].filter((command) => command !== undefined)

  it("shows nobody the key or the task in the list of processes", () => {
    for (const { file, args } of commands) {
      expect([file, ...args].join(" ")).not.toContain(account.apiKey)
      expect([file, ...args].join(" ")).not.toContain(task.prompt)
    }
  })

  it("has the token of its tools in its environment, and in no file that agents of one account share", () => {
    for (const { file, args, env, homeFiles } of commands) {
      expect([file, ...args].join(" ")).not.toContain(task.tools.token)
      expect(Object.values(env).join()).toContain(task.tools.token)
      expect(JSON.stringify(homeFiles)).not.toContain(task.tools.token)
    }
  })

  it("writes into the account's home and nowhere else", () => {
    for (const { homeFiles, env } of commands) {
      expect(homeFiles.filter(({ path }) => path.startsWith("/") || path.includes(".."))).toEqual([])
      expect(Object.values(env).filter((value) => /^\/(?!homes\/anna\/)/.test(value))).toEqual([])
    }
  })

  it("goes on with the session that it is given", () => {
    const { command, protocol } = clis[id].plan(task, account, protocols)
    const resumesByProtocol = ["codex", "gemini", "opencode", "vibe"].includes(id)
    expect(command.args.includes("ses-1")).toBe(!resumesByProtocol)
    expect(clis[id].tui(task, account).args).toContain("ses-1")
    expect(protocol.open()).not.toBe("")
  })
})

it("finds its models in its arguments and variables: another task of the account writes the same files, at the same time", () => {
  for (const id of ids) {
    const other = { apiKey: "swy-other", baseUrl: "http://127.0.0.1:2" }
    const filesOf = (of: typeof account) =>
      clis[id].plan({ ...task, reasoning: "high" }, of, protocols).command.homeFiles
    expect(JSON.stringify(filesOf(account))).not.toContain(account.baseUrl)
    // Claude's files contain the end of the key, so that Claude doesn't ask if it may use that key.
    if (id !== "claude") expect(filesOf(other)).toEqual(filesOf(account))
  }
})

it("uses no configured provider, and no key, where the account has logged in by itself", () => {
  const loggedIn = { apiKey: null, baseUrl: null }
  for (const id of ids) {
    const { env, homeFiles } = clis[id].plan({ ...task, tools: undefined }, loggedIn, protocols).command
    expect(Object.keys(env).filter((name) => /KEY|TOKEN/.test(name))).toEqual([])
    expect(homeFiles.map(({ content }) => content).join("")).not.toMatch(/model_provider|selectedType/)
  }
})

it("has Claude use Bedrock through the gateway, with the stage's models under its own names for them", () => {
  const models = ["us.anthropic.claude-sonnet-4-5-20250929-v1:0", "global.anthropic.claude-haiku-4-5-20251001-v1:0"]
  const { env } = clis.claude.plan(task, { ...account, bedrock: { models, region: "eu-west-1" } }, protocols).command
  expect(env).toMatchObject({
    ...{ CLAUDE_CODE_USE_BEDROCK: "1", CLAUDE_CODE_SKIP_BEDROCK_AUTH: "1", AWS_REGION: "eu-west-1" },
    ...{ ANTHROPIC_BEDROCK_BASE_URL: account.baseUrl, ANTHROPIC_AUTH_TOKEN: account.apiKey },
    ...{
      ANTHROPIC_MODEL: models[0],
      ANTHROPIC_DEFAULT_OPUS_MODEL: models[0],
      ANTHROPIC_DEFAULT_HAIKU_MODEL: models[1],
    },
  })
  expect(Object.keys(env)).not.toContain("ANTHROPIC_API_KEY")
})

it("lets Claude read a project's settings, with consent, only if it asks nothing", () => {
  const isRead = (mode: PermissionMode) =>
    !clis.claude.plan({ ...task, mode, isTrusted: true }, account, protocols).command.args.includes("--setting-sources")
  expect(PermissionMode.options.filter(isRead)).toEqual(["bypass"])
})
