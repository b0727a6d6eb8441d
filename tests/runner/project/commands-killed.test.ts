import { describe, expect, it } from "vitest"
import { itDeep } from "../../depth.ts"
import { seeded } from "../../faults/random.ts"
import { cases, LIMIT_MS, someOf } from "../../settings.ts"
import { CASES, type Case, newScene } from "./command-scene.ts"

const KILLS = cases({ usual: 2, deep: 1000 })

/** About the number of steps that a runner takes for a command. */
const STEPS = 110

/** Number of random kills per command between its effect and its answer, besides the two certain hits. */
const BETWEEN = cases({ usual: 0, deep: 20 })

/** Commands whose effect is a written or removed file, with more steps after it. */
const FAILS_BEHIND = someOf(["resolve", "abort"], 1)

/** The file that has the answer before the log does. */
const NOTED = "command.json"

/**
 * Runs a command whose runner dies or fails, and then an agent's task in a second runner. Checks the command's answer.
 */
async function outlive(
  of: Case,
  env: Record<string, string>,
  where: string,
): Promise<{ died: boolean; done: boolean }> {
  const scene = await newScene(of)
  await using _ = scene.depot
  const died = await scene.first(env)
  const before = await scene.ends()
  const wasDone = await scene.isDone()
  await scene.later()
  const [end, ...more] = await scene.ends()
  expect(more, where).toEqual([])
  if (before.length > 0) expect(end, where).toEqual(before[0])
  if (end?.type !== "worktree_command_finished") throw new Error(`${where}: no answer`)
  const isDone = await scene.isDone()
  if (end.answer !== null) expect(await scene.isAs(end.answer), where).toBe(true)
  // An agent's task creates a missing worktree, too.
  else if (of.command.command !== "create") {
    expect([where, await scene.isBegun(), end.error]).toEqual([where, false, end.error])
  } else expect([where, wasDone, end.error]).toEqual([where, false, end.error])
  expect(isDone || !wasDone, where).toBe(true)
  return { died, done: wasDone && before.length === 0 }
}

describe("a command whose runner dies or fails", () => {
  it.concurrent.each(rangesOf(KILLS, 25))(
    "is carried out once or never, is answered as what became of it, and touches nothing that came later (seeds %i to %i)",
    async (first, last) => {
      for (let seed = first; seed <= last; seed++) {
        const random = seeded(seed)
        const of = random.pick(CASES)
        const how = random.pick(["DIE_AT", "DIE_AT", "FAIL_AT"])
        const at = random.between(1, STEPS)
        await outlive(of, { [how]: `${at}` }, `seed ${seed}: ${digestOf(of)}, ${how} ${at}`)
      }
    },
    KILLS * LIMIT_MS,
  )

  it.each(someOf(CASES, 2).map((of) => [digestOf(of), of] as const))(
    "is answered as done if its runner dies between doing it and saying so: %s",
    async (name, of) => {
      const random = seeded(BETWEEN)
      // At step 1 the answer isn't noted yet. At step 4 it is noted, but not in the log, which is the same for all
      // commands, so one command suffices.
      const sure = BETWEEN > 0 || of === CASES[0] ? [1, 4] : [1]
      for (const at of sure) {
        const where = `${name}, ${NOTED} ${at}`
        expect([where, await outlive(of, { FROM: NOTED, DIE_AT: `${at}` }, where)]).toEqual([
          where,
          { died: true, done: true },
        ])
      }
      for (let index = 0; index < BETWEEN; index++) {
        const [from, most] = random.pick([[of.effect, 15] as const, [NOTED, 40] as const])
        const at = random.between(1, most)
        await outlive(of, { FROM: from, DIE_AT: `${at}` }, `${name}, ${from} ${at}`)
      }
    },
    (BETWEEN + 2) * LIMIT_MS,
  )

  it("is answered as done, and with what is left to do, if its runner fails once a worktree is gone", async () => {
    const of = caseOf("delete {}")
    const scene = await newScene(of)
    await using _ = scene.depot
    expect(await scene.first({ FROM: of.effect, FAIL_AT: "3" })).toBe(false)
    expect(await scene.ends()).toMatchObject([
      { answer: { deleted: true }, error: { message: expect.stringContaining("a later step failed") } },
    ])
    await scene.later()
  })

  it("is answered with what was deleted if its runner dies once that is confirmed", async () => {
    const of = caseOf("confirm_deletions")
    const scene = await newScene(of)
    await using _ = scene.depot
    expect(await scene.first({ FROM: NOTED, DIE_AT: "1" })).toBe(true)
    expect([await scene.isDone(), await scene.ends()]).toEqual([true, []])
    await scene.later()
    expect(await scene.ends()).toMatchObject([{ answer: { deleted_files: 2 }, error: null }])
  })

  itDeep("is answered as waiting if its runner dies between a merge's last resolution and the merge", async () => {
    const of = caseOf('"complete":true')
    const scene = await newScene(of)
    await using _ = scene.depot
    expect(await scene.first({ FROM: "merge.json", DIE_AT: "3" })).toBe(true)
    expect(await scene.isDone()).toBe(false)
    await scene.later()
    expect(await scene.ends()).toMatchObject([
      { answer: { status: "conflicts", message: "All conflicts are resolved." }, error: null },
    ])
  })

  it.each(
    CASES.filter(({ command }) => FAILS_BEHIND.includes(command.command)).map((of) => [digestOf(of), of] as const),
  )(
    "is answered as what stands if something fails behind its effect: %s",
    async (name, of) => {
      for (const at of someOf([3, 4], 1)) {
        const where = `${name}, FAIL_AT ${at}`
        expect([where, await outlive(of, { FROM: "merge.json", FAIL_AT: `${at}` }, where)]).toEqual([
          where,
          { died: false, done: false },
        ])
      }
    },
    2 * LIMIT_MS,
  )
})

/**
 * Splits `count` seeds into ranges of this size, and returns the first and the last seed of each. The ranges run
 * concurrently, and each can run alone.
 */
function rangesOf(count: number, size: number): [number, number][] {
  return Array.from({ length: Math.ceil(count / size) }, (_, nth) => [
    nth * size,
    Math.min(count, (nth + 1) * size) - 1,
  ])
}

function caseOf(words: string): Case {
  const found = CASES.find((of) => digestOf(of).includes(words))
  if (!found) throw new Error(`There is no ${words}.`)
  return found
}

function digestOf({ command, before }: Case): string {
  const { command: name, ...more } = command
  return [name, JSON.stringify(more), before ?? ""].join(" ").trim()
}
