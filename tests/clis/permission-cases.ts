import assert from "node:assert/strict"
import { access, mkdir, readFile, symlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { isDeepStrictEqual } from "node:util"
import type { PermissionPolicy } from "@switchyard/core/agents/permissions/decide"
import { PermissionMode, type PermissionRule } from "@switchyard/core/agents/permissions/schema"
import type { Answer, QuestionContent } from "@switchyard/core/agents/questions/schema"
import { AppError } from "@switchyard/core/errors"
import type { LogEvent, NewEvent } from "@switchyard/core/events"
import type { Stage } from "./scenarios.ts"
import { CONTENT, type Move } from "./scripted-model.ts"

/** A line of the contract that every program must keep: its moves, the questions to people, and the result. */
export interface PermissionCase {
  name: string
  policy?: Partial<PermissionPolicy>
  script: Move[][]
  /** A person's answer to each question. Without it, no question may be asked. */
  answer?: (question: Asked, at: number) => Answer["choice"] | "cancel"
  /** Expected number of questions. */
  asked: number
  /**
   * A permitted deviation: the program asks unnecessarily, refuses by itself instead of asking, or takes one denial for
   * all its requests. It never does anything that was denied.
   */
  unless?: Deviation
  /** Files of the project, or beside it, that must exist, and files that must not. */
  there?: string[]
  missing?: string[]
  /** Text that the model must not receive. */
  untold?: string
  /** A path of the scripted server that must not be fetched. */
  unfetched?: string
}

type Asked = Extract<QuestionContent, { kind: "permission" }>

const OUTSIDE = "../outside.txt"
const SECRET = "not for the model"
const THROUGH = "link/planted.txt"

type Deviation = "asks" | "refuses" | "denies all"

export const cases: PermissionCase[] = [
  {
    name: "reads a file inside, unasked",
    script: [[{ read: "notes.txt" }]],
    asked: 0,
    unless: "asks",
    answer: () => "allow",
  },
  {
    name: "asks before it writes a file, and writes it when it may",
    script: [[{ write: "a.txt" }]],
    answer: () => "allow",
    asked: 1,
    there: ["a.txt"],
  },
  {
    name: "leaves a file alone when it may not write it",
    script: [[{ write: "a.txt" }]],
    answer: () => "deny",
    asked: 1,
    missing: ["a.txt"],
  },
  {
    name: "writes outside of its folder only when it may",
    policy: { mode: "accept_edits" },
    script: [[{ write: OUTSIDE }]],
    answer: () => "deny",
    asked: 1,
    unless: "refuses",
    missing: [OUTSIDE],
  },
  {
    name: "writes through a link that leads outside only when it may",
    policy: { mode: "accept_edits" },
    script: [[{ write: THROUGH }]],
    answer: () => "deny",
    asked: 1,
    unless: "refuses",
    missing: ["../beside/planted.txt"],
  },
  {
    name: "changes git's own files only when it may",
    policy: { mode: "accept_edits" },
    script: [[{ write: ".git/hooks/pre-commit" }]],
    answer: () => "deny",
    asked: 1,
    unless: "refuses",
    missing: [".git/hooks/pre-commit"],
  },
  {
    name: "asks before a command, and runs it when it may",
    script: [[{ run: "touch ran.txt" }]],
    answer: () => "allow",
    asked: 1,
    there: ["ran.txt"],
  },
  {
    name: "runs no command that is denied",
    script: [[{ run: "touch ran.txt" }]],
    answer: () => "deny",
    asked: 1,
    missing: ["ran.txt"],
  },
  {
    name: "asks once for a command that is allowed for the session",
    script: [[{ run: "touch one.txt" }], [{ run: "touch one.txt" }]],
    answer: () => "allow_session",
    asked: 1,
    there: ["one.txt"],
  },
  {
    name: "is refused what a rule denies, and nobody is asked",
    policy: { mode: "bypass", rules: [{ tool: "bash", command: "touch", effect: "deny" }] },
    script: [[{ run: "touch ran.txt" }]],
    asked: 0,
    missing: ["ran.txt"],
  },
  {
    name: "can be stopped while it asks",
    script: [[{ write: "a.txt" }]],
    answer: () => "cancel",
    asked: 1,
    missing: ["a.txt"],
  },
  {
    name: "asks for each of two uses at once",
    script: [[{ write: "a.txt" }, { write: "b.txt" }]],
    answer: ({ paths = [] }) => (paths[0]?.endsWith("a.txt") ? "deny" : "allow"),
    asked: 2,
    unless: "denies all",
    missing: ["a.txt"],
    there: ["b.txt"],
  },
]

/** A command that a rule about `touch` must match, in each mode in a different spelling. */
const COMMANDS = {
  plan: "touch ran.txt",
  ask: "sh -c 'touch ran.txt'",
  accept_edits: "FOO=1 touch ran.txt",
  bypass: "env touch ran.txt",
}

/** Programs run some read-only commands without asking, unless the product makes them ask. */
const readingCase: PermissionCase = {
  name: "is refused a command that only reads, if a rule denies it",
  policy: { mode: "bypass", rules: [{ tool: "bash", command: "cat", effect: "deny" }] },
  script: [[{ run: "cat secret.txt" }]],
  asked: 0,
  untold: SECRET,
}

/**
 * Rules about reading a file: each effect at least once, and each mode once. For programs with a tool for reading,
 * unlike Codex, which reads with commands.
 */
export const readCases: PermissionCase[] = (
  [
    ["deny", "ask"],
    ["deny", "bypass"],
    ["ask", "plan"],
    ["allow", "accept_edits"],
  ] as const
).map(([effect, mode]) => ({
  name: `holds to a rule with the effect ${effect} about reading a file in the mode ${mode}`,
  policy: { mode, rules: [{ tool: "read", path: "secret.txt", effect }] },
  script: [[{ read: "secret.txt" }]],
  answer: () => "deny",
  asked: effect === "ask" ? 1 : 0,
  ...(effect !== "allow" && { untold: SECRET }),
}))

/**
 * Rules about an edit outside the worktree: each effect at least once, and each mode once. Gemini refuses such edits by
 * itself.
 */
const outsideCases: PermissionCase[] = (
  [
    ["deny", "accept_edits"],
    ["ask", "bypass"],
    ["allow", "ask"],
    ["allow", "plan"],
  ] as const
).map(([effect, mode]) => ({
  name: `holds to a rule with the effect ${effect} about an edit outside of its folder in the mode ${mode}`,
  policy: { mode, rules: [{ tool: "write", ...(effect !== "allow" && { path: "**/outside.txt" }), effect }] },
  script: [[{ write: OUTSIDE }]],
  answer: () => "deny",
  asked: effect === "ask" ? 1 : 0,
  unless: "refuses",
  ...((effect !== "allow" || mode === "plan") && { missing: [OUTSIDE] }),
}))

/**
 * Rules about a web page, for programs with a tool for fetching. Codex has none, and Mistral Vibe's requires its
 * vendor's key.
 */
export const fetchCases: PermissionCase[] = (
  [
    ["deny", "bypass"],
    ["ask", "accept_edits"],
    ["allow", "ask"],
    ["allow", "plan"],
  ] as const
).map(([effect, mode]) => ({
  name: `holds to a rule with the effect ${effect} about a page of the web in the mode ${mode}`,
  policy: { mode, rules: [{ tool: "other", effect }] },
  script: [[{ fetch: "/page" }]],
  answer: () => "deny",
  asked: effect === "ask" ? 1 : 0,
  ...((effect !== "allow" || mode === "plan") && { unfetched: "/page" }),
}))

/** Mistral Vibe's tool for code calls other tools, which each ask separately. */
const codeCase: PermissionCase = {
  name: "is refused a command within code, if a rule denies it",
  policy: { mode: "bypass", rules: [{ tool: "bash", command: "touch", effect: "deny" }] },
  script: [[{ run: "touch ran.txt", inCode: true }]],
  asked: 0,
  missing: ["ran.txt"],
}

/** Each mode with rules that allow, ask about or deny a command and a new file, both in one turn. */
export const ruleCases: PermissionCase[] = [
  readingCase,
  codeCase,
  ...outsideCases,
  ...PermissionMode.options.flatMap((mode) =>
    (["allow", "ask", "deny"] as const).map((effect): PermissionCase => {
      const rules: PermissionRule[] = [
        { tool: "bash", command: "touch", effect },
        { tool: "write", path: "made/**", effect },
      ]
      // A rule that allows matches only the plain command.
      const run = effect === "allow" ? "touch ran.txt" : COMMANDS[mode]
      const files = ["ran.txt", "made/a.txt"]
      const isDone = mode !== "plan" && effect !== "deny"
      return {
        name: `holds to rules with the effect ${effect} in the mode ${mode}`,
        policy: { mode, rules },
        script: [[{ run }], [{ write: "made/a.txt" }]],
        answer: () => "allow",
        asked: isDone && effect === "ask" ? 2 : 0,
        ...(isDone ? { there: files } : { missing: files }),
      }
    }),
  ),
]

/**
 * Plays a case. Resolves to `yes` or the permitted deviation. Throws with the observed events if the result differs.
 */
export async function playCase({ shop, model, work }: Stage, one: PermissionCase): Promise<"yes" | Deviation> {
  const stop = new AbortController()
  const asked: Asked[] = []
  const agent = shop.deps.decisions
  await mkdir(join(shop.folder, "beside"))
  await mkdir(join(shop.project, ".git/hooks"), { recursive: true })
  await symlink(join(shop.folder, "beside"), join(shop.project, "link"))
  await writeFile(join(shop.project, "notes.txt"), "notes\n")
  await writeFile(join(shop.project, "secret.txt"), SECRET)
  agent.begin({ mode: "ask", rules: [], ...one.policy })
  model.script = one.script
  shop.onEvent((event) => {
    if (event.type !== "question_asked" || "key" in event.question || event.question.kind !== "permission") return
    const isAgain = asked.some((one) => isDeepStrictEqual(one, event.question))
    // A program that stops at a denial is told to continue, and then asks the denied question again.
    if (!isAgain) asked.push(event.question)
    const choice = one.answer?.(event.question, asked.length - 1) ?? "deny"
    if (choice === "cancel") stop.abort(new AppError("run_cancelled", "The run is being cancelled."))
    else for (const told of answered(event, choice)) shop.decisions.receive(told as LogEvent)
  })
  const end = await work(stop.signal)
  const seen = `${JSON.stringify(end)} ${JSON.stringify(asked)}\n${shop.logged.map((event) => JSON.stringify(event).slice(0, 500)).join("\n")}`
  const { unless } = one
  const isThere = await Promise.all((one.there ?? []).map((file) => exists(join(shop.project, file))))
  const isOther =
    (unless === "asks" && asked.length > one.asked) ||
    (unless === "refuses" && asked.length < one.asked) ||
    (unless === "denies all" && asked.length === one.asked && isThere.includes(false))
  for (const file of one.missing ?? [])
    assert.ok(!(await exists(join(shop.project, file))), `${file} is there. ${seen}`)
  assert.ok(one.untold === undefined || !model.told.includes(one.untold), seen)
  assert.ok(one.unfetched === undefined || !model.fetched.includes(one.unfetched), seen)
  // The program must have got as far as the call, or the case shows nothing. opencode ends each turn at a denial, and
  // asks again in the next turn.
  const triedToo =
    end.outcome.type === "needs_continuation" && shop.logged.some(({ type }) => type === "tool_call_started")
  assert.ok(stop.signal.aborted || end.outcome.type === "completed" || triedToo, seen)
  if (isOther) return unless
  assert.equal(asked.length, one.asked, seen)
  for (const file of one.there ?? []) assert.ok(await exists(join(shop.project, file)), `${file} is missing. ${seen}`)
  assert.equal(await readFile(join(shop.project, "notes.txt"), "utf8"), "notes\n")
  if (one.there?.includes("a.txt")) assert.equal(await readFile(join(shop.project, "a.txt"), "utf8"), CONTENT)
  return "yes"
}

/** Returns the events of an answer, as the session's rule appends them. */
function answered({ question_id, question }: Extract<NewEvent, { type: "question_asked" }>, choice: Answer["choice"]) {
  const given = { type: "question_answered", question_id, answer: { choice }, by: "test", agent_id: "main" }
  const rule = "key" in question || question.kind !== "permission" ? undefined : question.rule
  return choice === "allow_session" && rule ? [given, { type: "agent_tool_allowed", agent_id: "main", rule }] : [given]
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}
