import assert from "node:assert/strict"
import { mkdir, symlink } from "node:fs/promises"
import { dirname, join } from "node:path"
import type { BuiltInCli } from "@switchyard/core/agents/clis/clis"
import { makeRepository } from "../functions/agents/repository.ts"
import { startServer, type TestServer } from "../functions/server.ts"
import { type DryApi, dryApi } from "./dry-apis.ts"
import { installVibe } from "./install-vibe.ts"
import { newKey } from "./limits.ts"
import { models, NOWHERE } from "./scenarios.ts"
import { type ScriptedModel, startScriptedModel } from "./scripted-model.ts"

/** A program whose account's API refuses in the middle of a task, and another account that could continue. */
export interface DryCase {
  cli: BuiltInCli
  next: BuiltInCli
  api: DryApi
  /** Number of refusals before the API answers again. Omitted if the API never does. */
  times?: number
}

const dry = (cli: BuiltInCli, name: string, next: BuiltInCli = "codex"): DryCase => ({
  cli,
  next,
  api: dryApi(cli, name),
})
const brief = (cli: BuiltInCli, name: string, times: number, next: BuiltInCli = "codex"): DryCase => ({
  ...dry(cli, name, next),
  times,
})

export const dryCases: DryCase[] = [
  dry("claude", "plan-five-hours"),
  dry("claude", "no-credit"),
  dry("codex", "plan-limit", "claude"),
  dry("codex", "insufficient-quota", "claude"),
  dry("codex", "quota-in-stream", "claude"),
  dry("gemini", "quota-of-a-day"),
  dry("qwen", "coding-plan-week"),
  dry("vibe", "rate-limit"),
  brief("claude", "overloaded", 4),
  brief("codex", "overloaded", 4, "claude"),
  brief("codex", "rate-limit-in-stream", 3, "claude"),
  brief("gemini", "overloaded", 3),
  brief("qwen", "dashscope-tokens-worded-as-a-quota", 3),
  brief("vibe", "capacity", 2),
]

export function nameOf({ cli, api, times }: DryCase): string {
  const kind = api.expected.kind.replaceAll("_", " ")
  return times === undefined
    ? `${cli} meets its API's "${api.name}" (${kind}) in the middle of a task, and another account finishes it`
    : `${cli} is refused ${times} times with "${api.name}" (${kind}), and goes on by itself`
}

const FILES = { first: "first.txt", second: "second.txt" }

/** Plays a case on a whole server, with the programs installed in this folder. */
export async function playDry({ cli, next, api, times }: DryCase, programs: string): Promise<void> {
  const found = cli === "vibe" && { PATH: `${await installVibe(programs)}:${process.env.PATH}` }
  Object.assign(process.env, NOWHERE, found)
  const server = await startServer()
  await mkdir(server.folder, { recursive: true })
  await symlink(programs, join(server.folder, "programs"))
  const repository = makeRepository(join(dirname(server.folder), "theirs"), { "README.md": "Theirs\n" })
  const projectOf = () => /(?<=\nworktree ).+/.exec(repository.git("worktree", "list", "--porcelain"))?.[0] ?? ""
  const keys = { one: newKey(), other: newKey() }
  await using one = await startScriptedModel(keys.one, projectOf)
  await using other = await startScriptedModel(keys.other, projectOf)
  try {
    await addAccount(server, { name: "one", provider: cli, api_key: keys.one, ...at(one, cli) })
    await addAccount(server, { name: "other", provider: next, api_key: keys.other, ...at(other, next) })
    await server.call("PUT", "/api/v1/config/provider-fallback-order", { json: { order: ["one", "other"] } })
    const second = [{ write: FILES.second }]
    one.script = times === undefined ? [[{ write: FILES.first }], api] : [[{ write: FILES.first }], second]
    if (times !== undefined) one.refusals = { api, left: times }
    other.script = [second]
    const task = { kind: "agent", coding_agent: "one", user_prompt: "Make two files.", repository: repository.folder }
    const asked = await server.call("POST", "/v1/runs", { json: { ...task, consent: true } })
    const { run_id, workspace_id } = asked.body
    const startedAt = Date.now()
    const ended = await server.ended(run_id)
    const events = (await server.call("GET", `/api/v1/sessions/${workspace_id}/events?limit=1000`)).body.events
    const seen = JSON.stringify(events).slice(-4000)
    assert.equal(ended.status, "completed", seen)
    const { branch } = (await server.call("GET", `/api/v1/sessions/${workspace_id}/worktree`)).body
    const changed = repository.git("diff", "--name-status", "main", branch).trim().split("\n")
    assert.deepEqual(
      changed,
      Object.values(FILES).map((name) => `A\t${name}`),
      seen,
    )
    // biome-ignore lint/suspicious/noExplicitAny: events as they come
    const switched = events.filter(({ type }: any) => type === "provider_switched")
    if (times !== undefined) return assert.deepEqual([switched, one.refusals?.left], [[], 0], seen)
    const [{ problem, resets_at, from_account, to_account }] = switched
    assert.deepEqual([switched.length, problem, from_account, to_account], [1, api.expected.kind, "one", "other"], seen)
    const { resetsInS, resetsAtMidnight = false } = api.expected
    if (resetsInS === undefined) assert.equal(resets_at !== null, resetsAtMidnight, seen)
    else assert.ok(Math.abs(Date.parse(resets_at) - startedAt - resetsInS * 1000) < 120_000, resets_at)
  } finally {
    await server.close()
  }
}

function at({ url }: ScriptedModel, cli: BuiltInCli) {
  return { base_url: url, model: models[cli] }
}

async function addAccount(server: TestServer, json: object): Promise<void> {
  const made = await server.call("POST", "/api/v1/accounts", { json })
  assert.equal(made.status, 201, made.text)
}
