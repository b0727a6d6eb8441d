import assert from "node:assert/strict"
import { readFile, rm } from "node:fs/promises"
import { join } from "node:path"
import type { CliId } from "@switchyard/core/clis/schema"
import type { TaskEnd } from "@switchyard/runner/agents/task"
import { openWorkshop, processesWith, type Workshop } from "../runner/agents/workshop.ts"
import { CONTENT, FILE, type ScriptedModel, startScriptedModel } from "./scripted-model.ts"

export interface Scenario {
  name: string
  run(stage: Stage): Promise<void>
}

/** One agent, one project and one model that does as it is told. */
export interface Stage {
  shop: Workshop
  model: ScriptedModel
  work(signal?: AbortSignal, resume?: string | null): Promise<TaskEnd>
}

export const models: Partial<Record<CliId, string>> = {
  claude: "sonnet",
  codex: "gpt-5.5",
  gemini: "gemini-2.5-pro",
  qwen: "scripted",
  opencode: "scripted",
}

export async function withStage(cli: CliId, links: string, use: (stage: Stage) => Promise<void>): Promise<void> {
  const patience = { firstMs: 60_000, idleMs: 60_000, leaveMs: 5000 }
  await using shop = await openWorkshop({ programs: [links], patience })
  await using model = await startScriptedModel(() => shop.project)
  const terminal = { rows: 30, cols: 100 }
  const plain = { account: null, model: models[cli] ?? null, reasoning: null, repository: null, terminal }
  await use({
    shop,
    model,
    work: (signal, resume = null) =>
      shop.work(
        "Make a file.",
        {
          input: { ...plain, task: "Make a file.", cli },
          account: { apiKey: "sk-test-0000000000000000000000", baseUrl: model.url },
          home: join(shop.folder, "homes", cli),
          ...{ resume, followUp: resume !== null },
        },
        signal,
      ),
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
      await rm(join(shop.project, FILE))
      const second = await work(undefined, first.nativeSession)
      assert.deepEqual(second.outcome, { type: "completed" }, describe(shop))
      assert.equal(second.nativeSession, first.nativeSession)
      assert.equal(await readFile(join(shop.project, FILE), "utf8"), CONTENT)
    },
  },
  {
    name: "is cancelled in the middle of a turn, and leaves nothing running",
    async run({ shop, model, work }) {
      model.mood = "hangs"
      const stop = new AbortController()
      const working = work(stop.signal)
      while (!model.asked.some((one) => /messages|responses|completions|generate/i.test(one))) {
        await new Promise((resolve) => setTimeout(resolve, 50))
      }
      stop.abort()
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
    async run({ shop, model, work }) {
      model.mood = "limited"
      shop.deps.patience = { firstMs: 25_000, idleMs: 25_000, leaveMs: 2000 }
      const { outcome } = await work()
      const silent = outcome.type === "failed" && outcome.problem === "timeout"
      assert.ok(outcome.type === "limit" || silent, `${JSON.stringify(outcome)} ${describe(shop)}`)
    },
  },
  {
    name: "is stopped when its model says nothing",
    async run({ shop, model, work }) {
      model.mood = "hangs"
      shop.deps.patience = { firstMs: 12_000, idleMs: 8000, leaveMs: 2000 }
      const { outcome } = await work()
      assert.equal(outcome.type === "failed" && outcome.problem, "timeout", describe(shop))
    },
  },
]

/** What there is to see when something went wrong. */
function describe(shop: Workshop): string {
  return `\n${shop.logged.map((event) => JSON.stringify(event).slice(0, 600)).join("\n")}\n${shop.reported.join("\n")}`
}
