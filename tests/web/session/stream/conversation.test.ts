import { describe, expect, it } from "vitest"
import {
  type Conversation,
  type Note,
  reduceConversation,
  type Turn,
} from "../../../../packages/web/src/session/stream/conversation.ts"
import { foldOf, type Told } from "./fold.ts"

const fold = foldOf<Conversation>(reduceConversation, [])
const inRun = { run_id: "run_1", agent_id: "main" }
const plan = {
  name: "Shelf",
  description: "A list of books.",
  techstack: "HTML",
  features: [],
  files: [
    { path: "a.js", purpose: "The page.", action: "create" },
    { path: "b.js", purpose: "The store.", action: "change" },
    { path: "old.js", to: "new.js", purpose: "Its name.", action: "rename" },
    { path: "c.js", purpose: "Nothing.", action: "delete" },
  ],
}
const asked = (input: object = {}, run_id = "run_1"): Told => [
  "run_created",
  { ...inRun, run_id, kind: "workflow", model: "demo", input: { user_prompt: "Books.", ...input } },
]
const claimed: Told = ["run_claimed", { ...inRun, generation: 1, executor: "exe" }]
const node = { ...inRun, iteration: 1, duration_ms: 5 }
const planned: Told = ["node_finished", { ...node, node: "planner", update: { plan } }]
const begun = (file_path: string): Told => ["node_started", { ...node, node: "coder", file_path }]
const ended = (file_path: string, update: object = {}): Told => [
  "node_finished",
  { ...node, node: "coder", update: { file_path, ...update } },
]
const checked = (...paths: string[]): Told => [
  "files_checked",
  {
    ...inRun,
    file_count: 3,
    fault_count: paths.length,
    faults: paths.map((path) => ({ path, rule: "import", message: "It imports nothing." })),
  },
]
const completed: Told = ["run_completed", { ...inRun, duration_ms: 10, workspace_version: 1 }]
const failed: Told = ["run_failed", { ...inRun, duration_ms: 10, error_type: "x", message: "No.", hint: "Yes." }]

const last = (...events: Told[]): Turn => {
  const turn = fold(asked(), claimed, ...events).at(-1)
  if (!turn) throw new Error("Nothing was asked.")
  return turn
}
const states = ({ plan }: Turn) => plan?.files.map(({ path, state }) => `${path} ${state}`)
const kinds = ({ notes }: Turn) => notes.map(({ type }: Note) => type)

describe("the conversation", () => {
  it("has a turn for each request, with its whole text", () => {
    const long = "books ".repeat(1000)
    const turns = fold(asked({ user_prompt: long }), completed, asked({}, "run_2"))
    expect(turns.map(({ run }) => [run.prompt, run.status])).toEqual([
      [long, "completed"],
      ["Books.", "queued"],
    ])
  })

  it("shows what becomes of each planned file", () => {
    expect(states(last(planned))).toEqual(["a.js planned", "b.js planned", "new.js planned", "c.js planned"])
    expect(states(last(planned, begun("a.js"), begun("b.js"), ended("a.js")))).toEqual([
      "a.js written",
      "b.js writing",
      "new.js planned",
      "c.js planned",
    ])
    const all = [ended("a.js", { failed: "No room." }), ended("b.js", { left_as_is: "Fine." })]
    const turn = last(planned, ...all, ended("new.js"), ended("c.js"))
    expect(states(turn)).toEqual(["a.js failed", "b.js kept", "new.js renamed", "c.js deleted"])
    expect(turn.plan?.files.map(({ from, reason }) => [from, reason]).slice(0, 3)).toEqual([
      [null, "No room."],
      [null, "Fine."],
      ["old.js", null],
    ])
    expect(kinds(turn)).toEqual(["not_written"])
  })

  it("has nothing being written once its run is over, or another executor took it", () => {
    for (const end of [failed, ["run_cancelled", { ...inRun, duration_ms: 1 }] satisfies Told, claimed]) {
      expect(states(last(planned, begun("a.js"), end))?.[0]).toBe("a.js planned")
    }
  })

  it("follows what a check found until it is mended", () => {
    const found = last(planned, checked("a.js", "b.js"))
    expect(found.notes).toMatchObject([{ type: "checked", faultCount: 2, unmended: ["a.js", "b.js"] }])
    const mending = last(planned, checked("a.js", "b.js"), begun("a.js"), ended("a.js", { changed_files: ["a.js"] }))
    expect(mending.notes).toMatchObject([{ unmended: ["b.js"] }])
    expect(states(mending)?.[0]).toBe("a.js written")
    const unmended = last(planned, checked("a.js"), begun("a.js"), ended("a.js", { changed_files: [] }))
    expect(unmended.notes).toMatchObject([{ unmended: ["a.js"] }])
    expect(kinds(last(planned, checked("a.js"), checked()))).toEqual(["checked", "checked"])
  })

  it("follows what a review found missing, and says where there was none", () => {
    const reviewed = (paths: string[], more: object = {}): Told => {
      const findings = paths.map((path) => ({ path, message: "It has no address." }))
      return ["files_reviewed", { ...inRun, file_count: 3, finding_count: paths.length, findings, ...more }]
    }
    const found = last(planned, checked(), reviewed(["a.js"]))
    expect(found.notes.at(-1)).toMatchObject({ type: "reviewed", faultCount: 1, unmended: ["a.js"] })
    const mended = last(
      planned,
      checked(),
      reviewed(["a.js"]),
      begun("a.js"),
      ended("a.js", { changed_files: ["style.css"] }),
    )
    expect(mended.notes.at(-1)).toMatchObject({ unmended: [] })
    expect(last(planned, reviewed([], { not_reviewed: "No answer." })).notes).toMatchObject([
      { type: "not_reviewed", reason: "No answer." },
    ])
  })

  it("names the tests that a run changed, whatever its end", () => {
    const changed_tests = [{ path: "a.test.js", reason: "It was wrong.", kind: "changed" }]
    const verdict = { status: "passed", workspace_version: 1, checks: [], changed_tests }
    const { notes } = last(planned, ["run_completed", { ...inRun, duration_ms: 1, verdict }])
    expect(notes).toMatchObject([{ type: "tests_changed", text: "Changed tests: a.test.js (changed: It was wrong)" }])
  })

  it("has the version of the files at each run's end, and the restores after it", () => {
    const saved = (version: number, about: object = {}): Told => [
      "workspace_committed",
      { version, manifest: "", changes: [], ...about },
    ]
    const turn = last(
      ...[saved(4, inRun), saved(5, inRun), failed, saved(6)],
      ...[saved(7, { restores: { version: 5 } }), saved(8, { restores: { version: 6, path: "a.js" } })],
    )
    expect(turn.version).toEqual({ version: 5, previous: 3, seq: 5 })
    expect(turn.restores).toMatchObject([
      { version: 7, previous: 6, from: 5, path: null },
      { version: 8, previous: 7, from: 6, path: "a.js" },
    ])
  })

  it("counts retries of the same problem as one", () => {
    const retried = (error_type: string): Told => ["model_retried", { ...inRun, error_type, attempt: 1, wait_ms: 1 }]
    const reason = "Your plan at Groq allows 8,000 tokens a minute."
    const limited: Told = ["model_retried", { ...inRun, error_type: "rate_limit", attempt: 1, wait_ms: 9000, reason }]
    const { notes } = last(retried("rate_limit"), retried("rate_limit"), retried("timeout"), limited)
    expect(notes).toMatchObject([
      { type: "retried", problem: "The model provider's rate limit was reached", count: 2 },
      { type: "retried", problem: "The model provider failed to respond", count: 1 },
      { type: "retried", problem: reason, count: 1, until: Date.parse("2026-01-02T03:04:14.000Z") },
    ])
  })

  it("takes the plan over into a run that resumes it, with what failed to be done again", () => {
    const resumed = asked({ resumes: [{ run_id: "run_1", first_seq: 1 }] }, "run_2")
    const turns = fold(asked(), planned, ended("a.js"), ended("b.js", { failed: "No." }), failed, resumed)
    expect(turns.map(states)).toEqual([
      ["a.js written", "b.js failed", "new.js planned", "c.js planned"],
      ["a.js written", "b.js planned", "new.js planned", "c.js planned"],
    ])
    expect(turns.map(({ resumes }) => resumes)).toEqual([false, true])
  })

  const usage = { input: 10, cache_read: 5, cache_write: null, output: 2 }

  it("adds up the tokens of a run", () => {
    const used: Told = ["model_usage", { ...inRun, model: "demo", usage }]
    expect(last(used, used).run).toMatchObject({ tokens: { input: 30, output: 4 } })
  })

  it("stays the same object where an event doesn't concern it", () => {
    const before = fold(asked(), planned)
    const strange = { seq: 9, event_id: "evt", ts: "", run_id: "run_9", type: "project_saved" } as const
    expect(reduceConversation(before, strange)).toBe(before)
    expect(reduceConversation(before, { ...strange, run_id: "run_1" })).toBe(before)
  })
})
