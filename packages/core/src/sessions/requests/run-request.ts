import { type NewRunRequest, taskInRequest } from "../../agents/tasks/request.ts"
import { AppError } from "../../errors.ts"
import { sessionKey } from "../../ids.ts"
import { type ModelsConfig, resolveModel } from "../../models/resolve.ts"
import type { Accounts } from "../../people/accounts/accounts.ts"
import { withOwnersKey } from "../../people/accounts/model-keys.ts"
import { requirePrice } from "../../people/budget/require-price.ts"
import type { ProtectedOptions } from "../../protections.ts"
import type { NewRun, SessionlessRun } from "../../work/runs/run-starts.ts"
import { effectiveVerification, requireVerification } from "../../work/verification/settings.ts"
import { checkRunRequest, type RunRequest } from "../../work/workflow/request.ts"
import type { Sessions } from "../sessions.ts"
import { type AgentRequestDeps, parseAgentRun, verificationBeside } from "./agent-request.ts"
import { areChecksAllowed, requireChecks } from "./check-request.ts"
import { type ImageDeps, readRequestImages, sessionOfImages } from "./request-images.ts"

export interface RunRequestDeps extends AgentRequestDeps, ImageDeps {
  sessions: Sessions
  accounts: Accounts
  models: ModelsConfig
}

/** Sender of a request, with information that isn't in the request's body. */
export interface RunCaller {
  owner: string
  /** The caller's own key for the model provider. */
  apiKey: string | undefined
  /** True to exclude accounts that log in with their agent's own login, because the caller isn't the owner. */
  keysOnly?: boolean
  /** Returns the workspace named in the request, if any. Throws if its ID is invalid. */
  workspace(): string | undefined
}

/** Run that can be started in any session. */
export type ParsedRun = SessionlessRun & {
  /** Workspace named in the request, if any. */
  workspace: string | undefined
}

/**
 * Returns the workflow run that a request describes. Throws `invalid_request` for any error in the request, before
 * anything is written. Checks, in this order: prompt, overrides, key, workspace, model.
 */
export async function parseWorkflowRun(
  deps: Pick<
    RunRequestDeps,
    "accounts" | "models" | "consents" | "agents" | "sessions" | "repositories" | "settings" | "blobs" | "catalog"
  >,
  caller: RunCaller,
  request: RunRequest,
  options: ProtectedOptions,
): Promise<ParsedRun> {
  const { owner } = caller
  const input = checkRunRequest(request)
  const named = { name: request.model ?? undefined, surface: "workflow" as const, apiKey: caller.apiKey }
  const { account, ...keyed } = await withOwnersKey(deps, owner, named, options)
  const { apiKey } = keyed
  const findModel = () => resolveModel(deps.models, keyed)
  // If the caller has no key, find the model first, because it depends on the model whether a key is missing.
  const early = caller.apiKey === undefined ? findModel() : undefined
  const workspace = asInvalidRequest(() => caller.workspace())
  const resolved = early ?? findModel()
  const { provider, model } = resolved
  requirePrice(`${provider}/${model}`, request.budget)
  const session = await sessionOfImages(deps.sessions, owner, { request, workspace }, options)
  const images = await readRequestImages(deps, request.images ?? [], { model: resolved, session }, options)
  const consent = "consent" in request && request.consent === true
  if (request.check) await requireChecks(deps, { owner, consent }, options)
  const check = request.check ?? (await areChecksAllowed(deps, owner, options))
  const allow_test_changes = await mayChangeTests(deps, owner, { request, workspace }, options)
  const whole = { ...input, check, allow_test_changes, ...(images.refs.length > 0 && { images: images.refs }) }
  const run = { owner, kind: "workflow" as const, model: `${provider}/${model}`, input: whole }
  return { ...run, apiKey, account, budget: request.budget, workspace, artifacts: images.unstored }
}

/**
 * Returns true if a run may change tests, according to the request's own setting, or else the setting of its session,
 * its repository or its owner.
 */
async function mayChangeTests(
  deps: Pick<RunRequestDeps, "sessions" | "repositories" | "settings">,
  owner: string,
  { request, workspace }: { request: RunRequest; workspace: string | undefined },
  options: ProtectedOptions,
): Promise<boolean> {
  const state = workspace === undefined ? undefined : await deps.sessions.peek(owner, workspace, options)
  const repository = state?.session.repository ?? null
  const beside = await verificationBeside(deps, owner, { state, repository, ...options })
  const asked = { allow_test_changes: request.allow_test_changes ?? undefined }
  requireVerification(asked, beside, options)
  return effectiveVerification(asked, ...beside).allow_test_changes
}

/** Parses a request for any kind of run, in the session named in the request. */
export async function parseRun(
  deps: RunRequestDeps,
  caller: RunCaller,
  request: NewRunRequest,
  options: ProtectedOptions,
): Promise<ParsedRun> {
  return parsers[request.kind](deps, caller, request, options)
}

type Parser = (...args: Parameters<typeof parseRun>) => Promise<ParsedRun>

const parsers: Record<NewRunRequest["kind"], Parser> = {
  workflow: parseWorkflowRun,
  agent: parseAgentRequest,
}

async function parseAgentRequest(...[deps, caller, request, options]: Parameters<typeof parseRun>): Promise<ParsedRun> {
  const task = taskInRequest(request)
  const workspace = asInvalidRequest(() => caller.workspace())
  const state = workspace === undefined ? undefined : await deps.sessions.peek(caller.owner, workspace, options)
  const run = await parseAgentRun(deps, caller.owner, task, { state, keysOnly: caller.keysOnly, ...options })
  return { ...run, budget: request.budget, workspace }
}

/** Binds a parsed run to its session. */
export function bindSession({ workspace: _, ...run }: ParsedRun, sessionId: string): NewRun {
  return { ...run, sid: sessionKey(run.owner, sessionId), sessionId }
}

/**
 * Calls `read`, and converts the error for an invalid workspace ID to `invalid_request`, which all other errors in the
 * request have.
 */
function asInvalidRequest<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    throw new AppError("invalid_request", error.message, error.details, { cause: error })
  }
}
