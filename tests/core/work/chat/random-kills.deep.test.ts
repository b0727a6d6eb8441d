import type { ModelEvent, ModelProvider } from "@switchyard/core/models/provider"
import type { Blobs } from "@switchyard/core/storage/blobs"
import type { Records } from "@switchyard/core/storage/records"
import { expect, it } from "vitest"
import { seeded } from "../../../faults/random.ts"
import { createScriptedProvider } from "../../../fixtures/scripted-model.ts"
import { openStores, type Stores } from "../../../fixtures/stores.ts"
import { block, openChatBench } from "./chat-bench.ts"

const KILLS = 60
const FIRST = { "a.ts": "const a = 0\n", "b.ts": "const b = 0\r\nlast" }
const QUESTIONS = ["Count up", "Once more", "And a third time"]
/** So long that the log stores parts of it as blobs. */
const LONG = "and the more one counts, the more there is to count. ".repeat(400)

/** Returns the answer to question n: it edits two files, creates a file, and contains an edit that fails. */
function answerTo(n: number): ModelEvent[] {
  const edits = [
    block("a.ts", `const a = ${n}\n`, `const a = ${n + 1}\n`),
    block("b.ts", `const b = ${n}\n`, `const b = ${n + 1}\n`),
    block(`new-${n}.ts`, "", `// ${LONG}\n`),
    block("a.ts", "no such line\n", "nothing\n"),
  ]
  const texts = [`I count ${n}, `, LONG, "\n\n", ...edits.flatMap((edit) => edit.match(/[\s\S]{1,700}/g) ?? [])]
  return [
    ...texts.map((text): ModelEvent => ({ type: "text", text })),
    { type: "usage", usage: { input: 1000 * (n + 1), output: 100, cacheRead: 300, cacheWrite: 10 } },
    { type: "end", stopReason: "end" },
  ]
}

/** Moments of an executor's life: before and after each store call, and before each part of an answer. */
interface Instants {
  /** Passes a moment. Throws from moment `deadAt` on, because the executor is dead. */
  pass(): void
  passed(): number
}

function instants(deadAt: number): Instants {
  let passed = 0
  return {
    pass() {
      if (++passed >= deadAt) throw new Error("The process is dead.")
    },
    passed: () => passed,
  }
}

function storesFor({ pass }: Instants, stores: Stores): Stores {
  const one =
    <A extends unknown[], T>(use: (...args: A) => Promise<T>) =>
    async (...args: A): Promise<T> => {
      pass()
      const result = await use(...args)
      pass()
      return result
    }
  const many = <A extends unknown[], T>(use: (...args: A) => AsyncGenerator<T>) =>
    async function* (...args: A): AsyncGenerator<T> {
      for await (const item of use(...args)) {
        pass()
        yield item
      }
    }
  const { records, blobs } = stores
  const mortalRecords: Records = {
    ...{ get: one(records.get), put: one(records.put), remove: one(records.remove) },
    ...{ range: many(records.range), byList: many(records.byList) },
  }
  const mortalBlobs: Blobs = {
    ...{ put: one(blobs.put), get: one(blobs.get), head: one(blobs.head), remove: one(blobs.remove) },
    ...{ list: many(blobs.list), copy: one(blobs.copy), signedUrl: one(blobs.signedUrl) },
  }
  return { ...stores, records: mortalRecords, blobs: mortalBlobs }
}

function modelFor({ pass }: Instants, n: number): ModelProvider {
  const provider = createScriptedProvider(() => answerTo(n))
  return {
    ...provider,
    async *stream(...args) {
      for await (const event of provider.stream(...args)) {
        pass()
        yield event
      }
    },
  }
}

/**
 * Holds the conversation with executors that die at these moments of each turn. Resolves to the result, the moments of
 * each executor, and the number of deaths.
 */
async function converse(deaths: (turn: number) => number[]) {
  const chat = await openChatBench(await openStores())
  const lives: number[] = []
  let died = 0
  try {
    await chat.write(FIRST)
    for (const [n, question] of QUESTIONS.entries()) {
      const runId = await chat.ask(question, { files: ["a.ts", "b.ts"] })
      for (const deadAt of [...deaths(n), Number.POSITIVE_INFINITY]) {
        if ((await chat.run(runId)).status === "completed") break
        const life = instants(deadAt)
        const executed = chat.execute(runId, modelFor(life, n), { on: storesFor(life, chat.stores) })
        await executed.catch(() => died++)
        lives.push(life.passed())
      }
      expect((await chat.run(runId)).status).toBe("completed")
    }
    const counts = await Promise.all(
      (["chat_asked", "chat_answered", "chat_edits_applied", "chat_turn_settled", "run_completed"] as const).map(
        async (type) => (await chat.eventsOf(type)).length,
      ),
    )
    const messages = (await chat.messages()).map(({ role, content, result }) => ({ role, content, result }))
    const { totals, selected } = (await chat.state()).chat
    return { left: { messages, files: await chat.files(), totals, selected, counts }, lives, died }
  } finally {
    await chat.close()
  }
}

it(`a conversation whose executors are killed at ${KILLS} random instants is the same as an undisturbed one`, async () => {
  const undisturbed = await converse(() => [])
  expect(undisturbed.left.counts).toEqual([3, 3, 3, 3, 3])
  expect(undisturbed.left.files).toMatchObject({ "a.ts": "const a = 3\n", "b.ts": "const b = 3\r\nlast" })
  const [shortest = 0] = undisturbed.lives.toSorted((a, b) => a - b)
  let killed = 0
  for (let seed = 0; killed < KILLS; seed++) {
    const random = seeded(seed)
    // One or two executors of each turn die.
    const instantsOf = () => Array.from({ length: random.between(1, 2) }, () => random.between(1, shortest))
    const disturbed = await converse(instantsOf)
    expect(disturbed.left, `seed ${seed}`).toEqual(undisturbed.left)
    killed += disturbed.died
    process.stdout.write(`seed ${seed}: ${disturbed.died} executors killed\n`)
  }
})
