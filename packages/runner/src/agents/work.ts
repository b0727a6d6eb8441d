import type { AgentInput } from "@switchyard/core/agents/schema"
import type { AgentAccount } from "@switchyard/core/clis/cli"
import type { Outcome, ProblemKind } from "@switchyard/core/clis/schema"
import type { Log } from "@switchyard/core/events/log"
import { ModelError, type ModelErrorType } from "@switchyard/core/models/errors"
import type { RunContext, RunWork } from "@switchyard/core/runs/run-context"
import { openProject, type ProjectDeps } from "../project/project.ts"
import { readPast } from "./past.ts"
import { runTask, type TaskDeps } from "./task.ts"

export interface WorkDeps extends Omit<TaskDeps, "append"> {
  log: Log
  project: ProjectDeps
  /** How the account of a run gets at its model, and where its home is. */
  accountOf: (runId: string) => AgentAccount & { home: string }
}

/** The work of an agent's run: its project, its task, and what became of the files. */
export function createAgentWork(deps: WorkDeps): RunWork<AgentInput> {
  return async (context) => {
    const { sid, runId, input, signal } = context
    const past = await readPast(deps.log, sid, { runId, input }, { signal })
    const project = await openProject(
      deps.project,
      { sid, repository: input.repository, state: context.state() },
      { signal },
    )
    const { home, ...account } = deps.accountOf(runId)
    const { outcome } = await runTask(
      { ...deps, append: context.write },
      {
        ...{ input, cwd: project.cwd, home, account, notes: project.notes },
        ...{ resume: past.nativeSession, followUp: past.followUp, interrupted: past.interrupted },
      },
      { signal },
    )
    await save(context, await project.save(firstLine(input.task), context.state(), { signal }))
    if (outcome.type !== "completed" && outcome.type !== "needs_continuation") throw failureOf(outcome)
  }
}

async function save(context: RunContext<AgentInput>, changes: Parameters<RunContext["commit"]>[0]): Promise<void> {
  if (changes.length > 0) await context.commit(changes, `agent/${context.runId}/${context.state().head}`)
}

function firstLine(task: string): string {
  return `${(task.trim().split("\n")[0] ?? "").slice(0, 72)}\n`
}

const errorTypes: Partial<Record<ProblemKind, ModelErrorType>> = {
  model_not_found: "invalid_request",
  overloaded: "connection_error",
  network: "connection_error",
  timeout: "connection_error",
}

function failureOf(outcome: Exclude<Outcome, { type: "completed" | "needs_continuation" }>): ModelError {
  if (outcome.type === "limit") return new ModelError("rate_limit", outcome.message)
  if (outcome.type === "auth") return new ModelError("auth_error", outcome.message)
  return new ModelError(errorTypes[outcome.problem] ?? "unknown_error", outcome.message)
}
