import { type NewRunRequest, taskInRequest } from "@switchyard/core/agents/tasks/request"
import { AppError } from "@switchyard/core/errors"
import { sessionKey } from "@switchyard/core/ids"
import { resolveModel } from "@switchyard/core/models/resolve"
import type { RunKind } from "@switchyard/core/work/runs/kinds"
import type { NewRun, SessionlessRun } from "@switchyard/core/work/runs/runs"
import { checkRunRequest, type RunRequest } from "@switchyard/core/work/workflow/request"
import type { Context } from "hono"
import type { AppDeps } from "../deps.ts"
import { askedAgentRun } from "./agent-run.ts"
import { callersKey, namedWorkspace, principal } from "./request.ts"

/** A run that may be started, in whichever session. */
export type AskedRun = SessionlessRun & {
  /** The workspace that the request names, if it does. */
  workspace: string | undefined
}

/**
 * The run that a request asks for. Everything that can be wrong with it is said here, as `invalid_request`, before
 * anything is written: the prompt, the overrides, the key, the workspace and the model, in this order.
 */
export function askedRun(deps: AppDeps, c: Context, request: RunRequest): AskedRun {
  const input = checkRunRequest(request)
  const apiKey = callersKey(c, request.api_key)
  const findModel = () =>
    resolveModel(deps.config.models, { name: request.model ?? undefined, surface: "workflow", apiKey })
  // Without a key of the caller's, it takes the model to say whether one is missing.
  const keyed = apiKey === undefined ? findModel() : undefined
  const workspace = asInvalidRequest(() => namedWorkspace(c, request.workspace_id))
  const { provider, model } = keyed ?? findModel()
  return { owner: principal(c).owner, kind: "workflow", model: `${provider}/${model}`, input, apiKey, workspace }
}

/** The same for a run of any kind, in the session that is named. */
export async function askedOfAnyKind(deps: AppDeps, c: Context, request: NewRunRequest): Promise<AskedRun> {
  return readers[request.kind](deps, c, request)
}

const readers: Record<RunKind, (deps: AppDeps, c: Context, request: NewRunRequest) => AskedRun | Promise<AskedRun>> = {
  workflow: askedRun,
  agent: askedAgent,
}

async function askedAgent(deps: AppDeps, c: Context, request: NewRunRequest): Promise<AskedRun> {
  const { owner } = principal(c)
  const task = taskInRequest(request)
  const workspace = asInvalidRequest(() => namedWorkspace(c, request.workspace_id))
  const state =
    workspace === undefined ? undefined : await deps.sessions.peek(owner, workspace, { signal: deps.stopping })
  return { ...(await askedAgentRun(deps, c, task, state?.session.repository ?? null)), workspace }
}

export function inSession({ workspace: _, ...run }: AskedRun, sessionId: string): NewRun {
  return { ...run, sid: sessionKey(run.owner, sessionId), sessionId }
}

/** A workspace id that can't be is a fault of the request like any other here. */
function asInvalidRequest<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    throw new AppError("invalid_request", error.message, error.details, { cause: error })
  }
}
