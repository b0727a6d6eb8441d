import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { createScriptedProvider, textAnswer } from "../../../fixtures/scripted-model.ts"
import { someOf } from "../../../settings.ts"
import { mortal } from "../mortal-stores.ts"
import { block, type ChatBench, openChatBench } from "./chat-bench.ts"

let bench: ChatBench
beforeEach(async () => {
  bench = await openChatBench()
})
afterEach(() => bench.close())

const before = { "a.ts": "const a = 1\n", "b.ts": "const b = 1\n" }
const answer = [
  block("a.ts", "const a = 1\n", "const a = 2\n"),
  block("a.ts", "const a = 2\n", "const a = 3\n"),
  block("new/c.ts", "", "const c = 1\n"),
].join("")
const after = { "a.ts": "const a = 3\n", "b.ts": "const b = 1\n", "new/c.ts": "const c = 1\n" }

/** Executes a turn with edits in a new session on the same stores. */
async function edited(): Promise<void> {
  bench = await openChatBench(bench.stores)
  await bench.write(before)
  await bench.execute(
    await bench.ask("Change them", { files: ["a.ts"] }),
    createScriptedProvider(() => textAnswer(answer)),
  )
  expect(await bench.files()).toEqual(after)
}

const noted = async () => (await bench.history()).filter(({ content }) => content.startsWith("The edits of an answer"))

async function expectUndoneOnce(where: string): Promise<void> {
  expect(await bench.files(), where).toEqual(before)
  expect((await bench.eventsOf("chat_edits_undone")).length, where).toBe(1)
  expect(await noted(), where).toHaveLength(1)
  expect(
    (await bench.messages()).map(({ undone }) => undone ?? false),
    where,
  ).toEqual([false, true, false])
}

describe("undoing the edits of an answer", () => {
  it("takes back exactly those, once, keeps what others changed, and tells the model", async () => {
    await edited()
    await bench.write({ "b.ts": "mine\n" })
    await bench.undo()
    expect(await bench.files()).toEqual({ ...before, "b.ts": "mine\n" })
    await bench.undo()
    expect((await bench.eventsOf("chat_edits_undone")).length).toBe(1)
    expect((await noted())[0]?.content).toBe("The edits of an answer were undone: a.ts, new/c.ts.")
  })

  it.each([
    ["changed", "a.ts", { "a.ts": "const a = 4\n" }],
    ["created, and changed since", "new/c.ts", { "new/c.ts": "" }],
  ])("is refused, and changes nothing, where a file was %s", async (_, path, changes) => {
    await edited()
    await bench.write(changes)
    await expect(bench.undo()).rejects.toThrow(`${path} was changed after this answer, so the edits can't be undone.`)
    expect(await bench.files()).toEqual({ ...after, ...changes })
    expect(await bench.eventsOf("chat_edits_undone")).toEqual([])
  })

  it("is refused while a turn is under way, and where there was nothing to apply", async () => {
    await expect(bench.undo()).rejects.toThrow("This answer has no edits")
    await edited()
    await bench.ask("And now?")
    await expect(bench.undo()).rejects.toThrow("A turn is already running")
  })

  it.each(someOf(["lost", "done"] as const, 1))(
    "by a process that dies at any of its writes (the last one %s) is all or nothing, and can be asked for again",
    async (lastWrite) => {
      for (let nth = 1; ; nth++) {
        const where = `killed at write ${nth}`
        await edited()
        const outcome = await bench.undo({ on: mortal(bench.stores, nth, lastWrite).on }).then(
          () => "ended",
          () => "died",
        )
        if (outcome === "died") {
          const isUndone = (await bench.eventsOf("chat_edits_undone")).length > 0
          expect(await bench.files(), where).toEqual(isUndone ? before : after)
          await bench.undo()
        }
        await expectUndoneOnce(where)
        if (outcome === "died") continue
        expect(nth).toBeGreaterThan(2)
        break
      }
    },
  )
})
