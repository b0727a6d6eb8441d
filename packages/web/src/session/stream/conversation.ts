import { describeChangedTests } from "@switchyard/core/work/gate/verdict"
import { providerProblem } from "@switchyard/core/work/headlines/provider-problem"
import { updateOf } from "@switchyard/core/work/runs/progress"
import { CHECKER, type CheckView, reduceCheck } from "./check.ts"
import { type EventOfType, inlined, type StudioEvent } from "./event.ts"
import { isRunning, type RunView, reduceRun } from "./run.ts"

/** A session's requests and their outcomes, oldest first. */
export type Conversation = readonly Turn[]

/** A request, and what its run did. */
export interface Turn {
  run: RunView
  /** True if it continues the previous run's plan. */
  resumes: boolean
  plan: PlanView | null
  notes: readonly Note[]
  /** Latest check of what it built. */
  check: CheckView | null
  /** Last version of the files that the run committed. */
  version: VersionRef | null
  /** Restores after the run, before the next request. */
  restores: readonly RestoredVersion[]
}

/** A version of the files, the version before it, and the moment at which it is shown. */
export interface VersionRef {
  version: number
  previous: number
  seq: number
}

/** A version made by restoring version `from`: all of its files or, with a path, only one. */
export interface RestoredVersion extends VersionRef {
  from: number
  path: string | null
  at: string
}

/** Part of a session before its first request. */
export interface Beginning {
  /** Version of another session that this one was forked from. */
  copiedFrom: { session_id: string; name: string; version: number } | null
  restores: readonly RestoredVersion[]
}

export interface PlanView {
  name: string
  description: string
  techstack: string
  files: readonly PlannedFile[]
}

export type PlannedFileState = "planned" | "writing" | "written" | "kept" | "deleted" | "renamed" | "failed"

export interface PlannedFile {
  /** Final path. */
  path: string
  /** Previous path of a renamed file. */
  from: string | null
  purpose: string
  action: "create" | "change" | "delete" | "rename"
  state: PlannedFileState
  /** Why the file was left unchanged or not written. */
  reason: string | null
}

export interface Fault {
  path: string
  message: string
}

/** Another of a run's events that is worth showing. `seq`: its event, or the first of several similar ones. */
export type Note = { seq: number } & (
  | {
      /** Checked by rules that don't run anything, or by a model that compared the files with the request. */
      type: "checked" | "reviewed"
      fileCount: number
      faultCount: number
      faults: readonly Fault[]
      /** Files with faults that haven't been rewritten yet. */
      unmended: readonly string[]
    }
  | { type: "not_reviewed"; reason: string }
  | { type: "not_written"; path: string; reason: string }
  /** `until` is the end of the last wait, in ms since the epoch. */
  | { type: "retried"; problem: string; count: number; until: number }
  /** An unusable answer about a file, or from a node without one. */
  | { type: "rejected"; about: string; reason: string; count: number }
  | { type: "relaunched"; reason: string }
  | { type: "model_replaced"; from: string; to: string }
  | { type: "waiting"; reason: string }
  /** Tests changed by the run, with the reasons. */
  | { type: "tests_changed"; text: string }
)

/** Returns the conversation after one more event; the same object if the event doesn't affect it. */
export function reduceConversation(turns: Conversation, event: StudioEvent): Conversation {
  if (event.agent_id === CHECKER) return withCheck(turns, event)
  if (event.type === "run_created") return [...turns, openedTurn(event, turns.at(-1))]
  const restore = restoreOf(event)
  const last = turns.at(-1)
  if (restore && last) return turns.with(-1, { ...last, restores: [...last.restores, restore] })
  const at = event.run_id === undefined ? -1 : turns.findLastIndex(({ run }) => run.runId === event.run_id)
  const turn = turns[at]
  if (!turn) return turns
  const after = reduceTurn(turn, event)
  return after === turn ? turns : turns.with(at, after)
}

/** Returns the beginning after one more event, which came before the first request. */
export function reduceBeginning(beginning: Beginning, event: StudioEvent): Beginning {
  if (event.type === "session_opened") return { copiedFrom: event.copied_from ?? null, restores: [] }
  const restore = restoreOf(event)
  return restore ? { ...beginning, restores: [...beginning.restores, restore] } : beginning
}

function openedTurn(event: EventOfType<"run_created">, before: Turn | undefined): Turn {
  const input = inlined(event.input)
  const resumes = input !== undefined && "resumes" in input && (input.resumes?.length ?? 0) > 0
  const plan = resumes ? (before?.plan ?? null) : null
  return {
    run: reduceRun(null, event) as RunView,
    resumes,
    plan: plan && withoutFailures(plan),
    notes: [],
    check: null,
    version: null,
    restores: [],
  }
}

function reduceTurn(turn: Turn, event: StudioEvent): Turn {
  const run = reduceRun(turn.run, event) ?? turn.run
  const plan = reducePlan(turn.plan, event, isRunning(run))
  const notes = reduceNotes(turn.notes, event)
  const version = versionAfter(turn, event, isRunning(run))
  const isSame = run === turn.run && plan === turn.plan && notes === turn.notes && version === turn.version
  return isSame ? turn : { ...turn, run, plan, notes, version }
}

/** All commits of a run count as one version. Once the run has ended, the version's moment is its end. */
function versionAfter({ version, run }: Turn, event: StudioEvent, running: boolean): VersionRef | null {
  if (event.type === "workspace_committed") {
    const { version: number, seq } = event
    return { version: number, seq, previous: version?.previous ?? number - 1 }
  }
  return version && isRunning(run) && !running ? { ...version, seq: event.seq } : version
}

function restoreOf(event: StudioEvent): RestoredVersion | undefined {
  if (event.type !== "workspace_committed" || !event.restores) return undefined
  const { version, seq, ts: at, restores } = event
  return { version, previous: version - 1, seq, from: restores.version, path: restores.path ?? null, at }
}

/** A check is about what was built last. */
function withCheck(turns: Conversation, event: StudioEvent): Conversation {
  const last = turns.at(-1)
  if (!last) return turns
  const check = reduceCheck(last.check, event)
  return check === last.check ? turns : turns.with(-1, { ...last, check })
}

function reducePlan(plan: PlanView | null, event: StudioEvent, running: boolean): PlanView | null {
  switch (event.type) {
    case "node_started":
      return plan && event.file_path ? withFile(plan, event.file_path, () => ({ state: "writing" })) : plan
    case "node_finished": {
      const update = updateOf(event)
      if (update.plan) return planned(update.plan)
      return plan && update.file_path ? withFile(plan, update.file_path, (file) => outcomeOf(file, update)) : plan
    }
    default:
      // An executor that was stopped or replaced doesn't finish the files that it was writing.
      return plan && (!running || event.type === "run_claimed") ? withoutWriting(plan) : plan
  }
}

type Update = Exclude<EventOfType<"node_finished">["update"], { sha256: string }>

function planned({ name, description, techstack, files }: NonNullable<Update["plan"]>): PlanView {
  return {
    name,
    description,
    techstack,
    files: files.map(({ path, to, purpose, action = "create" }) => ({
      path: to ?? path,
      from: to === undefined ? null : path,
      purpose,
      action,
      state: "planned",
      reason: null,
    })),
  }
}

const outcomes = { create: "written", change: "written", delete: "deleted", rename: "renamed" } satisfies Record<
  PlannedFile["action"],
  PlannedFileState
>

function outcomeOf({ action }: PlannedFile, { failed, left_as_is }: Update): Partial<PlannedFile> {
  if (failed !== undefined) return { state: "failed", reason: failed }
  if (left_as_is !== undefined) return { state: "kept", reason: left_as_is }
  return { state: outcomes[action], reason: null }
}

function withFile(plan: PlanView, path: string, change: (file: PlannedFile) => Partial<PlannedFile>): PlanView {
  return { ...plan, files: plan.files.map((file) => (file.path === path ? { ...file, ...change(file) } : file)) }
}

function withoutWriting(plan: PlanView): PlanView {
  if (!plan.files.some(({ state }) => state === "writing")) return plan
  return { ...plan, files: plan.files.map((file) => (file.state === "writing" ? { ...file, state: "planned" } : file)) }
}

function withoutFailures(plan: PlanView): PlanView {
  const again = (file: PlannedFile): PlannedFile => ({ ...file, state: "planned", reason: null })
  return { ...plan, files: plan.files.map((file) => (file.state === "failed" ? again(file) : file)) }
}

function reduceNotes(notes: readonly Note[], event: StudioEvent): readonly Note[] {
  const { seq } = event
  switch (event.type) {
    case "files_checked": {
      const { file_count: fileCount, fault_count: faultCount, faults } = event
      return [...notes, { type: "checked", seq, fileCount, faultCount, faults, unmended: pathsOf(faults) }]
    }
    case "files_reviewed": {
      const { file_count: fileCount, finding_count: faultCount, findings: faults, not_reviewed: reason } = event
      if (reason !== undefined) return [...notes, { type: "not_reviewed", seq, reason }]
      return [...notes, { type: "reviewed", seq, fileCount, faultCount, faults, unmended: pathsOf(faults) }]
    }
    case "node_finished": {
      const { file_path: path, failed: reason, changed_files: changed = [] } = updateOf(event)
      if (path !== undefined && reason !== undefined) return [...notes, { type: "not_written", seq, path, reason }]
      // A fault in one file may be fixed by changing another.
      return changed.length === 0 ? notes : mended(notes, [...changed, ...(path ? [path] : [])])
    }
    case "model_retried": {
      const problem = event.reason ?? providerProblem(event.error_type)
      const until = Date.parse(event.ts) + event.wait_ms
      return counted(
        notes,
        { type: "retried", seq, problem, count: 1, until },
        (note) => note.type === "retried" && note.problem === problem,
      )
    }
    case "answer_rejected": {
      const { reason } = event
      const about = event.path ?? event.node ?? "model"
      const isAlike = (note: Counted) => note.type === "rejected" && note.about === about && note.reason === reason
      return counted(notes, { type: "rejected", seq, about, reason, count: 1 }, isAlike)
    }
    case "model_replaced":
      return [...notes, { type: "model_replaced", seq, from: event.from_model, to: event.to_model }]
    case "run_relaunched":
      return [...notes, { type: "relaunched", seq, reason: event.reason }]
    case "run_parked":
      // The other run reports its own progress.
      if (event.waits_for?.run !== undefined) return notes
      return [...notes, { type: "waiting", seq, reason: event.reason }]
    case "run_completed":
    case "run_failed": {
      const text = event.verdict && describeChangedTests(event.verdict)
      return text === undefined ? notes : [...notes, { type: "tests_changed", seq, text }]
    }
    default:
      return notes
  }
}

type Counted = Extract<Note, { count: number }>

/** Adds a note, or increases the count of a similar one, no matter what happened to other files in between. */
function counted(notes: readonly Note[], one: Counted, isAlike: (note: Counted) => boolean): readonly Note[] {
  const at = notes.findLastIndex((note) => "count" in note && isAlike(note))
  const alike = notes[at]
  if (!alike || !("count" in alike)) return [...notes, one]
  return notes.with(at, { ...alike, ...one, seq: alike.seq, count: alike.count + 1 })
}

function pathsOf(faults: readonly Fault[]): string[] {
  return [...new Set(faults.map(({ path }) => path))]
}

function mended(notes: readonly Note[], paths: string[]): readonly Note[] {
  const at = notes.findLastIndex(({ type }) => type === "checked" || type === "reviewed")
  const check = notes[at]
  if (check?.type !== "checked" && check?.type !== "reviewed") return notes
  return notes.with(at, { ...check, unmended: check.unmended.filter((path) => !paths.includes(path)) })
}
