import assert from "node:assert/strict"
import { readFile, rm } from "node:fs/promises"
import { join } from "node:path"
import type { AgentTools } from "@switchyard/core/agents/clis/cli"
import type { BuiltInCli } from "@switchyard/core/agents/clis/clis"
import { AppError } from "@switchyard/core/errors"
import { RunParked } from "@switchyard/core/work/runs/run-context"
import type { TaskEnd } from "@switchyard/runner/agents/task"
import { openGateway } from "@switchyard/runner/gateway/gateway"
import type { InstallDeps } from "@switchyard/runner/programs/install"
import type { HomeFile } from "@switchyard/runner/sandbox/agent-home"
import type { Confinement } from "@switchyard/runner/sandbox/confinement"
import { openWorkshop, processesWith, type Workshop } from "../runner/agents/workshop.ts"
import { createHurriedClock } from "./hurried-clock.ts"
import { installVibe } from "./install-vibe.ts"
import { CONTENT, FILE, type ScriptedModel, startScriptedModel } from "./scripted-model.ts"

export interface Scenario {
  name: string
  run(stage: Stage): Promise<void>
}

/** An agent, a project and a scripted model. */
export interface Stage {
  cli: BuiltInCli
  shop: Workshop
  model: ScriptedModel
  /** Moves the clock ahead by the longest patience. */
  hurry(): void
  work(signal?: AbortSignal, resume?: string | null, tools?: AgentTools, setup?: HomeFile[]): Promise<TaskEnd>
  /** Like `work`, but without a gateway, as with the agent's own login. Only the agent itself reports its usage. */
  workByItself(): Promise<TaskEnd>
}

export const models: Partial<Record<BuiltInCli, string>> = {
  claude: "sonnet",
  codex: "gpt-5.5",
  gemini: "gemini-2.5-pro",
  qwen: "scripted",
  opencode: "scripted",
  vibe: "devstral",
}

/** Long, because the machine may be busy. Scenarios end it early with `hurry`. */
const PATIENCE_MS = 120_000

const KEY = "sk-test-0000000000000000000000"

/** Makes all requests to the internet fail. Agents work without them. */
export const NOWHERE = { HTTPS_PROXY: "http://127.0.0.1:9", NO_PROXY: "127.0.0.1,localhost" }

export async function withStage<T>(
  cli: BuiltInCli,
  { install, confinement }: { install: InstallDeps; confinement?: Confinement | undefined },
  use: (stage: Stage) => Promise<T>,
): Promise<T> {
  const clock = createHurriedClock()
  const patience = {
    firstMs: PATIENCE_MS,
    idleMs: PATIENCE_MS,
    busyMs: PATIENCE_MS,
    leaveMs: 20_000,
    answerMs: 900_000,
    retryMs: 0,
  }
  const host = { ...process.env, ...NOWHERE }
  await using shop = await openWorkshop({ clock, install, confinement, patience, host })
  if (cli === "vibe") shop.deps.programs.push(await installVibe(install.folder))
  await using model = await startScriptedModel(KEY, () => shop.project)
  const terminal = { rows: 30, cols: 100 }
  const plain = { account: null, model: models[cli] ?? null, reasoning: null, repository: null, terminal }
  return await use({
    ...{ cli, shop, model },
    hurry: () => clock.hurry(PATIENCE_MS),
    async work(signal, resume = null, tools, setup = []) {
      // As with every account that has a key, the agent gets the gateway's token and not the key.
      await using gateway = await openGateway({ apiKey: KEY, upstream: model.url, env: {}, now: clock.now })
      const account = { apiKey: gateway.token, baseUrl: gateway.url }
      const task = {
        ...{ input: { ...plain, task: "Make a file.", cli }, home: join(shop.folder, "homes", cli) },
        ...{ account, gateway, resume, followUp: resume !== null, ...(tools && { tools }), setup },
      }
      return await shop.work("Make a file.", task, signal)
    },
    workByItself: () =>
      shop.work("Make a file.", {
        ...{ input: { ...plain, task: "Make a file.", cli }, home: join(shop.folder, "homes", cli) },
        ...{ account: { apiKey: KEY, baseUrl: model.url }, resume: null, followUp: false },
      }),
  })
}

export const scenarios: Scenario[] = [
  {
    name: "makes a file, and goes on in its own session",
    async run({ shop, work }) {
      const first = await work()
      assert.deepEqual(first.outcome, { type: "completed" }, describe(shop))
      assert.equal(await readFile(join(shop.project, FILE), "utf8"), CONTENT)
      assert.ok(first.nativeSession)
      // Some programs lose a session only if they resume it at once, or a second time.
      for (let turns = 0; turns < 2; turns++) {
        await rm(join(shop.project, FILE))
        const next = await work(undefined, first.nativeSession)
        assert.deepEqual(next.outcome, { type: "completed" }, describe(shop))
        assert.equal(next.nativeSession, first.nativeSession, describe(shop))
        assert.equal(await readFile(join(shop.project, FILE), "utf8"), CONTENT)
      }
    },
  },
  {
    name: "is cancelled in the middle of a turn, and leaves nothing running",
    async run({ shop, model, work }) {
      model.mood = "hangs"
      const stop = new AbortController()
      const working = work(stop.signal)
      await model.heard(1)
      stop.abort(new AppError("run_cancelled", "The run is being cancelled."))
      const { outcome } = await working
      assert.equal(outcome.type === "failed" && outcome.problem, "cancelled", describe(shop))
      assert.deepEqual(await processesWith(`HOME=${shop.folder}`), [])
    },
  },
  {
    name: "says that its key is wrong",
    async run({ shop, model, work }) {
      model.mood = "unauthorized"
      assert.equal((await work()).outcome.type, "auth", describe(shop))
    },
  },
  {
    name: "says that its limit is reached, or is stopped while it asks again in silence",
    async run({ cli, shop, model, hurry, work }) {
      model.mood = "limited"
      const working = work()
      if (inSilence.includes(cli)) {
        await Promise.race([model.heard(3), working])
        hurry()
      }
      const { outcome } = await working
      const expected = inSilence.includes(cli) ? /^(timeout|limit)$/ : /^limit$/
      const came = outcome.type === "failed" ? outcome.problem : outcome.type
      assert.match(came, expected, `${JSON.stringify(outcome)} ${describe(shop)}`)
    },
  },
  {
    name: "is stopped when its model says nothing",
    async run({ shop, model, hurry, work }) {
      model.mood = "hangs"
      const working = work()
      await model.heard(1)
      hurry()
      const { outcome } = await working
      assert.equal(outcome.type === "failed" && outcome.problem, "timeout", describe(shop))
    },
  },
]

/** Programs that report their usage during a turn. */
const tellInTime: BuiltInCli[] = ["claude", "codex", "qwen"]

/** Many small steps. The budget has room for the first two. */
const STEPS = 8
const BUDGET = 150

/** An agent without a gateway that counts its usage reaches its budget in the middle of a turn. */
export const budgetScenario: Scenario = {
  name: "tells its usage as it comes, and is stopped at its budget in the middle of a turn",
  async run({ cli, shop, model, workByItself }) {
    if (!tellInTime.includes(cli)) return
    model.script = Array.from({ length: STEPS }, (_, step) => [{ run: `echo ${step} >> steps.txt` }])
    const used = () =>
      Math.max(0, ...shop.of("agent_usage").map(({ usage }) => (usage.input ?? 0) + (usage.output ?? 0)))
    shop.deps.budget = {
      isSet: async () => true,
      findReached: async () => (used() > BUDGET ? new RunParked("its budget is reached", {}) : undefined),
    }
    const end = await workByItself()
    assert.ok(end.parked, describe(shop))
    const steps = (await readFile(join(shop.project, "steps.txt"), "utf8")).trim().split("\n")
    assert.ok(steps.length < STEPS / 2, `${steps.length} steps ${describe(shop)}`)
  },
}

/** Programs that retry for minutes without reporting it. */
const inSilence: BuiltInCli[] = ["qwen", "opencode"]

/** Returns the events and errors, to explain a failure. */
export function describe(shop: Workshop): string {
  return `\n${shop.logged.map((event) => JSON.stringify(event).slice(0, 600)).join("\n")}\n${shop.reported.join("\n")}`
}
