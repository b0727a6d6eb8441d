import { agentInput, agentModel, namedRepository } from "@switchyard/core/agents/tasks/new-task"
import type { AskedAgent } from "@switchyard/core/agents/tasks/schema"
import { AppError } from "@switchyard/core/errors"
import { agentsUnavailable } from "@switchyard/core/work/runs/launcher"
import type { SessionlessRun } from "@switchyard/core/work/runs/runs"
import type { Context } from "hono"
import type { AgentPlace, AppDeps } from "../deps.ts"
import { principal } from "./request.ts"

/** A task as it is asked for, in a session or for one that is to be. */
export interface AskedTask extends AskedAgent {
  task: string
  /** What is named to work in; undefined where the session's own ways hold. */
  repository: string | undefined
}

/**
 * The run that a task asks for, as far as it doesn't depend on the session. Everything that can be wrong with it is said
 * here, before anything is written, but that its owner has agreed: that is written down.
 */
export async function askedAgentRun(
  deps: AppDeps,
  c: Context,
  asked: AskedTask,
  sessionsOwn: string | null,
): Promise<SessionlessRun> {
  const { owner } = principal(c)
  const options = { signal: deps.stopping }
  const place = placeOf(deps)
  const agent = await deps.agentAccounts.choose(owner, asked.coding_agent, options)
  const repository = (await checkedRepository(deps, asked.repository)) ?? sessionsOwn
  if (sessionsOwn !== null && repository !== sessionsOwn) {
    throw new AppError("task_invalid", "This session works in another repository.", { repository: sessionsOwn })
  }
  const input = agentInput(asked.task, asked, agent, repository)
  // The mock does what its task says and no more.
  if (place.local && agent.cli !== "mock") await agree(deps, owner, repository, asked.consent)
  return { owner, kind: "agent", model: agentModel(input), input }
}

/** The repository that a request names, if one can work in it. */
export async function checkedRepository(deps: AppDeps, named: string | null | undefined): Promise<string | undefined> {
  if (named === null || named === undefined) return undefined
  const { local, checkFolder } = placeOf(deps)
  const repository = namedRepository(named, { local })
  if (repository.startsWith("/")) await checkFolder(repository, { signal: deps.stopping })
  return repository
}

function placeOf({ agents }: AppDeps): AgentPlace {
  if (agents) return agents
  throw agentsUnavailable()
}

/** Agents act without asking, so somebody has to say once that they may. */
async function agree({ consents, stopping }: AppDeps, owner: string, repository: string | null, consent: boolean) {
  const options = { signal: stopping }
  if (consent) return consents.give(owner, repository, options)
  if (await consents.has(owner, repository, options)) return
  const where = repository === null ? "the sessions' own files" : repository
  const message = `Agents run commands on this machine without asking. To let them work in ${where}, send "consent": true once.`
  throw new AppError("consent_required", message, { repository })
}
