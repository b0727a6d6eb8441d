import { describeVerdict } from "@switchyard/core/work/gate/verdict"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { textAnswer, toolAnswer } from "../../../../fixtures/scripted-model.ts"
import { someOf } from "../../../../settings.ts"
import { modelFor, planOf, subjectOf } from "../model.ts"
import { openStudio, type Studio } from "../studio.ts"
import { brokenResults, lostFeatures, missingLiterals, type SeededFault, weakenedTests } from "./seeded-faults.ts"

let studio: Studio
beforeEach(async () => {
  studio = await openStudio()
})
afterEach(() => studio.close())

/** Runs a model that makes the fault and keeps it in every repair. */
async function endOf({ request = "Make it blue.", before = {}, after }: SeededFault) {
  if (Object.keys(before).length > 0) await studio.write(before)
  const planned = Object.entries(after).map(([path, made]) => {
    if (made === null) return { path, purpose: "", action: "delete" as const }
    if (typeof made === "object") return { path, purpose: "", action: "rename" as const, to: made.to }
    return { path, purpose: "", action: path in before ? ("change" as const) : ("create" as const) }
  })
  const texts = new Map(
    Object.entries(after).flatMap(([path, made]): [string, string][] => {
      if (made === null) return []
      return [typeof made === "object" ? [made.to, made.text] : [path, made]]
    }),
  )
  const steps = planned.map((file) => file.to ?? file.path)
  const model = modelFor(steps, (asked) => {
    const subject = subjectOf(asked)
    if (subject === "plan") return textAnswer(JSON.stringify({ ...planOf([]), files: planned }))
    if (subject === "task_plan" || subject === "review") return undefined
    const isRepair = String(asked.messages[0]?.content).startsWith("Repair: ")
    const content = texts.get(subject)
    if (isRepair || content === undefined) return toolAnswer("keep_file", { path: subject, reason: "It was meant." })
    return toolAnswer("write_file", { path: subject, content })
  })
  const runId = await studio.start({ user_prompt: request })
  await studio.execute(runId, model)
  const { status } = await studio.run(runId)
  const [completed] = await studio.eventsOf("run_completed")
  const [failed] = await studio.eventsOf("run_failed")
  const verdict = completed?.verdict && describeVerdict(completed.verdict)
  return { status, words: [failed?.message, completed?.warning, verdict].filter(Boolean).join(" ") }
}

const USUAL = 3

describe.each(Object.entries({ weakenedTests, lostFeatures, missingLiterals, brokenResults }))("%s", (_, faults) => {
  it.each(someOf(Object.entries(faults), USUAL))("aren't called completed without a word: %s", async (_, fault) => {
    const { status, words } = await endOf(fault)
    expect(["completed", "failed"]).toContain(status)
    expect(words).toMatch(fault.names)
  })
})
