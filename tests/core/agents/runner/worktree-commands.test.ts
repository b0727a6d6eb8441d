import {
  awaitsRunner,
  expireCommands,
  failCommands,
  finishCommand,
  interruptCommands,
  requestCommand,
  START_COMMAND_WITHIN_MS,
  startCommand,
} from "@switchyard/core/agents/runner/worktree-command-rules"
import type { NewEvent } from "@switchyard/core/events"
import { abandonHopelessSaving, awaitsSaving } from "@switchyard/core/files/worktrees/saving"
import { worktreeOf } from "@switchyard/core/files/worktrees/state"
import type { Rule } from "@switchyard/core/kernel/session-log"
import { emptySession, type SessionState } from "@switchyard/core/state"
import { mergeCommandId } from "@switchyard/core/work/trains/merge-step"
import { describe, expect, it } from "vitest"
import { stateAfter, verdict } from "../../kernel/folded.ts"

const grown = (state: SessionState, ...events: NewEvent[]) => stateAfter(events, { state })
const decide = (state: SessionState, rule: Rule): NewEvent[] => {
  const verdict = rule(state)
  if (verdict instanceof Error) throw verdict
  return verdict
}

const agent = { run_id: "run_1", agent_id: "main" }
const input = { task: "x", cli: "mock" as const, account: null, model: null, reasoning: null, repository: null }
const terminal = { rows: 24, cols: 80 }
const created: NewEvent = { type: "run_created", ...agent, kind: "agent", model: "mock", input: { ...input, terminal } }
const open = grown(
  emptySession,
  { type: "session_opened", session_id: "mine", incarnation: 1, repository: "/theirs" },
  { type: "runner_claimed", generation: 1, executor: "one" },
)
const none = { branches: [], default: null, current: null }
const worktree = {
  ...{ exists: true, path: "/tree", branch: "switchyard/s", base_commit: "0", has_changes: true, uncommitted: true },
  ...{ target_branch: null, behind: null, ahead: null, merge: null },
}
const done = { answer: { reset: true }, error: null }

describe("a command for a worktree", () => {
  it("is asked for once, and answered once, by the runner that serves the session", () => {
    const asked = grown(open, ...decide(open, requestCommand("cmd_1", { command: "reset" })))
    expect(worktreeOf(asked).pending).toMatchObject({ cmd_1: { seq: 3, changes: true, started: null } })
    expect(decide(asked, requestCommand("cmd_1", { command: "reset" }))).toEqual([])
    const replaced = grown(asked, { type: "runner_claimed", generation: 2, executor: "two" })
    expect(finishCommand(1, "cmd_1", done)(replaced)).toMatchObject({ code: "run_superseded" })
    const finished = grown(replaced, ...decide(replaced, finishCommand(2, "cmd_1", done)))
    expect(worktreeOf(finished).pending).toEqual({})
    expect(decide(finished, finishCommand(2, "cmd_1", done))).toEqual([])
  })

  it("waits for no agent: it is refused while one works, and questions are not", () => {
    const busy = grown(open, created)
    expect(requestCommand("cmd_1", { command: "reset" })(busy)).toMatchObject({ code: "worktree_busy" })
    expect(decide(busy, requestCommand("cmd_1", { question: "status" }))).toHaveLength(1)
    const over = grown(busy, { type: "run_cancelled", ...agent, duration_ms: 1, reason: "x" })
    expect(decide(over, requestCommand("cmd_1", { command: "reset" }))).toHaveLength(1)
  })

  it("is of a session that there is, and ends with it", () => {
    expect(requestCommand("cmd_1", { command: "reset" })(emptySession)).toMatchObject({ code: "session_deleted" })
    const asked = grown(open, ...decide(open, requestCommand("cmd_1", { command: "reset" })))
    const gone = grown(asked, { type: "session_deleted", incarnation: 1, reason: "request" })
    expect(gone).toMatchObject({ session: { repository: null }, worktrees: { byName: {} } })
  })
})

/** Time of a session's events, unless a test gives another. */
const ASKED = 1000
const LATE = ASKED + START_COMMAND_WITHIN_MS
const reset = { command: "reset" } as const
const asked = grown(open, ...decide(open, requestCommand("cmd_1", reset)))
const begun = grown(asked, ...decide(asked, startCommand(1, "cmd_1", LATE - 1)))

describe("the start of a command", () => {
  it("is decided once, by the runner that serves the session, before anything else is said of it", () => {
    expect(worktreeOf(begun).pending).toMatchObject({ cmd_1: { started: { generation: 1 } } })
    expect(verdict(startCommand(1, "cmd_1", ASKED), begun)).toEqual([])
    expect(verdict(startCommand(1, "cmd_2", ASKED), begun)).toEqual([])
    expect(verdict(startCommand(2, "cmd_1", ASKED), asked)).toBe("run_superseded")
  })

  it("comes within two minutes or never, whoever looks first, and an end never comes before it", () => {
    expect(verdict(expireCommands(LATE - 1), asked)).toEqual([])
    expect(verdict(expireCommands(LATE), asked)).toEqual(["worktree_command_expired"])
    expect(verdict(startCommand(1, "cmd_1", LATE), asked)).toEqual(["worktree_command_expired"])
    const expired = grown(asked, ...decide(asked, expireCommands(LATE)))
    expect(worktreeOf(expired).pending).toEqual({})
    expect(verdict(startCommand(1, "cmd_1", ASKED), expired)).toEqual([])
    expect(verdict(finishCommand(1, "cmd_1", done), expired)).toEqual([])
    expect(verdict(expireCommands(LATE * 10), begun)).toEqual([])
    expect([awaitsRunner(asked, LATE - 1), awaitsRunner(asked, LATE), awaitsRunner(begun, LATE)]).toEqual([
      ...[true, false, true],
    ])
  })

  it("is refused where the run that asked for it was cancelled, and not where that is over otherwise", () => {
    const train: NewEvent = { ...created, run_id: "run_2", agent_id: "merges", kind: "train", input: {} } as NewEvent
    const about = { run_id: "run_2", agent_id: "merges" }
    const running = grown(open, train)
    const merging = grown(running, ...decide(running, requestCommand("cmd_1", reset, "main", { runId: "run_2" })))
    const begins = (...events: NewEvent[]) => decide(grown(merging, ...events), startCommand(1, "cmd_1", ASKED))
    for (const cancelled of [
      { type: "run_cancel_requested" as const, ...about, reason: "x" },
      { type: "run_cancelled" as const, ...about, duration_ms: 1, reason: "x" },
    ]) {
      expect(begins(cancelled)).toMatchObject([
        { type: "worktree_command_finished", answer: null, error: { code: "run_cancelled" } },
      ])
    }
    const completed: NewEvent = { type: "run_completed", ...about, duration_ms: 1 } as NewEvent
    for (const events of [[], [completed]]) {
      expect(begins(...events)).toMatchObject([{ type: "worktree_command_started" }])
    }
  })

  it("is refused where an agent began to work after it was asked for, even if that is over, and tells how things are", () => {
    const over = grown(
      asked,
      { type: "worktree_changed", status: worktree, branches: none, diff: null, conflicts: null },
      created,
      { type: "run_cancelled", ...agent, duration_ms: 1, reason: "x" },
    )
    const [refused] = decide(over, startCommand(1, "cmd_1", ASKED))
    expect(refused).toMatchObject({
      type: "worktree_command_finished",
      answer: null,
      error: {
        code: "worktree_busy",
        details: { run_id: "run_1", run_status: "cancelled", worktree: { exists: true, has_changes: true } },
      },
    })
    const later = grown(over, ...decide(over, requestCommand("cmd_2", reset)))
    expect(verdict(startCommand(1, "cmd_2", ASKED), later)).toEqual(["worktree_command_started"])
    const question = grown(asked, ...decide(asked, requestCommand("cmd_3", { question: "status" })), created)
    expect(verdict(startCommand(1, "cmd_3", ASKED), question)).toEqual(["worktree_command_started"])
  })
})

describe("worktrees side by side", () => {
  const inOther = (commandId: string) => requestCommand(commandId, reset, "other")

  it("have commands of their own, and each event of one names it", () => {
    const both = grown(asked, ...decide(asked, inOther("cmd_2")))
    expect(Object.keys(worktreeOf(both).pending)).toEqual(["cmd_1"])
    expect(Object.keys(worktreeOf(both, "other").pending)).toEqual(["cmd_2"])
    const started = decide(both, startCommand(1, "cmd_2", ASKED))
    expect(started).toEqual([
      { type: "worktree_command_started", worktree: "other", command_id: "cmd_2", generation: 1 },
    ])
    const finished = grown(both, ...started, ...decide(both, finishCommand(1, "cmd_2", done)))
    expect(worktreeOf(finished, "other").pending).toEqual({})
    expect(Object.keys(worktreeOf(finished).pending)).toEqual(["cmd_1"])
    expect(decide(both, expireCommands(LATE)).map((event) => "worktree" in event && event.worktree)).toEqual([
      false,
      "other",
    ])
  })

  it("keep nobody waiting for the agent in another", () => {
    const busy = grown(open, { ...created, worktree: "other" })
    expect(inOther("cmd_1")(busy)).toMatchObject({ code: "worktree_busy" })
    expect(decide(busy, requestCommand("cmd_1", reset))).toHaveLength(1)
    const later = grown(asked, { ...created, worktree: "other" })
    expect(verdict(startCommand(1, "cmd_1", ASKED), later)).toEqual(["worktree_command_started"])
  })

  it("are saved each for itself, and given up each for itself", () => {
    const saving = (worktree?: string): NewEvent => ({
      ...{ type: "workspace_save_progressed", saved: 0, total: 9 },
      ...(worktree && { worktree }),
    })
    const runners = Array.from({ length: 5 }, (_, index): NewEvent => {
      return { type: "runner_claimed", generation: index + 2, executor: `runner ${index}` }
    })
    const state = grown(open, saving("other"), ...runners, saving())
    expect([worktreeOf(state).savingStarts, worktreeOf(state, "other").savingStarts]).toEqual([0, 5])
    expect(awaitsSaving(state)).toBe(true)
    const ended = grown(state, ...decide(state, abandonHopelessSaving("runner 4")))
    expect(worktreeOf(ended, "other").saving).toBeNull()
    expect(worktreeOf(ended).saving).toEqual({ saved: 0, total: 9 })
  })
})

describe("a command whose runner is gone", () => {
  it("is left to the next one for a while, and then answered without it", () => {
    const minutes = (count: number) => ASKED + count * 60_000
    expect(verdict(interruptCommands("one", minutes(9)), begun)).toEqual([])
    expect(verdict(interruptCommands("two", minutes(60)), begun)).toEqual([])
    expect(verdict(interruptCommands("one", minutes(60)), asked)).toEqual([])
    const [end] = decide(begun, interruptCommands("one", minutes(11)))
    expect(end).toMatchObject({ type: "worktree_command_finished", error: { code: "command_interrupted" } })
  })

  it("is answered where no other can be started: as not begun, or as interrupted", () => {
    const errors = [asked, begun].map((state) => decide(state, failCommands("AWS has none", "one"))[0])
    expect(errors).toMatchObject([
      { error: { code: "git_error", message: "No runner could be started: AWS has none" } },
      { error: { code: "command_interrupted", details: { reason: "AWS has none" } } },
    ])
    expect(verdict(failCommands("AWS has none", null), begun)).toEqual([])
  })
})

describe("the merge of a train", () => {
  const train = { run_id: "run_7", agent_id: "merges" }
  const merge = { command: "merge" as const, strategy: "squash" as const, delete_worktree: true }
  const commandId = mergeCommandId("run_7", 1, 1)
  const merging = grown(
    open,
    {
      ...{ type: "run_created", ...train, kind: "train", model: "none" },
      input: { worktrees: ["a", "b"], merge, checks: false },
    },
    { type: "run_claimed", ...train, generation: 1, executor: "one" },
    { type: "worktree_command_requested", worktree: "b", command_id: commandId, command: merge, asking_run: "run_7" },
  )
  const started: NewEvent = { type: "worktree_command_started", worktree: "b", command_id: commandId, generation: 1 }
  const answer = {
    ...{ success: true, status: "merged", message: "Merged.", target_branch: "main", commit: "c0ffee" },
    ...{ checkout: null, worktree_deleted: true, conflicts: null },
  }
  const merged = { answer, error: null }
  const asksToStop: NewEvent = { type: "run_cancel_requested", ...train, reason: "enough" }
  const stopped: NewEvent = { type: "run_cancelled", ...train, duration_ms: 1, reason: "enough" }
  const step = { type: "merge_train_step_finished", ...train, index: 1, worktree: "b" }

  it("is told with its answer once the train was asked to stop or has ended, and else by the train", () => {
    const under = grown(merging, started)
    expect(verdict(finishCommand(1, commandId, merged), under)).toEqual(["worktree_command_finished"])
    for (const over of [grown(under, asksToStop), grown(under, asksToStop, stopped)]) {
      const [, told] = decide(over, finishCommand(1, commandId, merged))
      expect(told).toMatchObject({
        ...step,
        status: "merged",
        message: "Merged.",
        commit: "c0ffee",
        target_branch: "main",
      })
    }
  })

  it("is told where it failed, too, or its runner was lost, but not where it never began", () => {
    const over = grown(merging, started, asksToStop, stopped)
    const failure = { answer: null, error: { code: "hook_failed", message: "It says no.", details: {} } }
    expect(decide(over, finishCommand(1, commandId, failure))[1]).toMatchObject({
      ...{ ...step, status: "refused", message: "It says no." },
    })
    const lost = { ...step, status: "refused", message: expect.stringContaining("runner stopped") }
    expect(decide(over, interruptCommands("one", ASKED + 60 * 60_000))[1]).toMatchObject(lost)
    expect(decide(over, failCommands("AWS has none", "one"))[1]).toMatchObject(lost)
    const unbegun = grown(merging, asksToStop, stopped)
    expect(verdict(startCommand(1, commandId, ASKED), unbegun)).toEqual(["worktree_command_finished"])
    expect(verdict(failCommands("AWS has none", "one"), unbegun)).toEqual(["worktree_command_finished"])
  })
})
