import { sessionKey } from "@switchyard/core/ids"
import { resolveModel } from "@switchyard/core/models/resolve"
import type { NewRun } from "@switchyard/core/runs/runs"
import { checkRunRequest, type RunRequest } from "@switchyard/core/workflow/request"
import type { Context } from "hono"
import type { AppDeps } from "../deps.ts"
import { callersKey, principal } from "./request.ts"

/**
 * The run that a request asks for. Everything that can be wrong with it is said here, as `invalid_request`, before
 * anything is written: the prompt, the overrides, the key and the model, in this order.
 */
export function newRun(deps: AppDeps, c: Context, request: RunRequest): Omit<NewRun, "sid" | "sessionId"> {
  const input = checkRunRequest(request)
  const apiKey = callersKey(c, request.api_key)
  const model = resolveModel(deps.config.models, { name: request.model, surface: "workflow", apiKey })
  return { owner: principal(c).owner, model: `${model.provider}/${model.model}`, input, apiKey }
}

export function inSession(run: Omit<NewRun, "sid" | "sessionId">, sessionId: string): NewRun {
  return { ...run, sid: sessionKey(run.owner, sessionId), sessionId }
}
