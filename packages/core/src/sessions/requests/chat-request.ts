import { AppError } from "../../errors.ts"
import { storeArtifact } from "../../kernel/artifact.ts"
import type { SessionHandle } from "../../kernel/session-handle.ts"
import type { Log } from "../../log/log.ts"
import { type ModelsConfig, resolveModel } from "../../models/resolve.ts"
import type { Accounts } from "../../people/accounts/accounts.ts"
import { withOwnersKey } from "../../people/accounts/model-keys.ts"
import { withinSessionBudget } from "../../people/budget/run-budgets.ts"
import type { Settings } from "../../people/settings/settings.ts"
import { newChatId, newRequestId } from "../../work/chat/ids.ts"
import type { NewChatTurn } from "../../work/chat/request-schema.ts"
import { askQuestion } from "../../work/chat/rules.ts"
import { CHAT_AGENT, type ChatCommit } from "../../work/chat/schema.ts"
import { activeTurn } from "../../work/chat/state.ts"
import { runEnd } from "../../work/runs/follow-run.ts"
import type { LocatedRun } from "../../work/runs/runs.ts"
import { runOf } from "../../work/runs/state.ts"
import { type ImageDeps, readRequestImages } from "./request-images.ts"
import { type StartOnceDeps, startRunOnce } from "./start-run.ts"

export interface ChatRequestDeps extends StartOnceDeps, ImageDeps {
  log: Log
  accounts: Accounts
  settings: Pick<Settings, "preferences">
  models: ModelsConfig
}

/** Maximum time to wait for the previous turn, which may still be compacting the conversation. */
const COMPACTION_WITHIN_MS = 30_000

/**
 * Starts the requested turn. Repeated requests with the same request ID start it only once. Throws `run_active` if
 * another turn is in progress, `invalid_request` for an unusable model, `validation_error` for an empty message or a
 * bad image, and `budget_reached` if the session's budget is used up.
 */
export async function startTurn(
  deps: ChatRequestDeps,
  { owner, session, apiKey }: { owner: string; session: SessionHandle; apiKey: string | undefined },
  request: NewChatTurn & { commit?: ChatCommit },
  options: { signal: AbortSignal },
): Promise<{ requestId: string; found: LocatedRun }> {
  const { message, files, mode } = request
  if (message.trim() === "") throw new AppError("validation_error", "The message is empty.")
  const named = { name: request.model ?? undefined, surface: "general" as const, apiKey }
  const { account, ...keyed } = await withOwnersKey(deps, owner, named, options)
  const resolved = resolveModel(deps.models, keyed)
  const { provider, model } = resolved
  const at = { sid: session.sid, incarnation: session.state.session.incarnation }
  const images = await readRequestImages(deps, request.images, { model: resolved, session: at }, options)
  for (const bytes of images.unstored) await storeArtifact(deps.blobs, at, bytes, options)
  await afterCompaction(deps, session, options)
  const { system_extra: systemExtra } = await deps.settings.preferences.read(owner, options)
  const requestId = request.request_id ?? newRequestId(deps.clock.now())
  const question = {
    ...{
      requestId,
      content: message,
      files,
      images: images.refs,
      mode,
      urls: request.urls,
      excludedUrls: request.excluded_urls,
    },
    commit: request.commit,
    systemExtra,
    newChatId: newChatId(deps.clock.now()),
  }
  const found = await startRunOnce(
    deps,
    {
      ...{ owner, kind: "chat", model: `${provider}/${model}`, apiKey: keyed.apiKey, workspace: session.sessionId },
      account,
      ...{ agentId: CHAT_AGENT, input: { request_id: requestId, words: message.slice(0, 200) } },
      alongside(runId) {
        const rule = askQuestion({ ...question, runId })
        // A commit whose message is given needs no model, so the budget doesn't apply to it.
        return request.commit?.message ? rule : withinSessionBudget(rule)
      },
    },
    { key: `chat/${session.sid}/${requestId}`, body: { ...request, api_key: undefined, requestId }, ...options },
  )
  return { requestId, found }
}

/** If the active turn has already completed its answer, waits until that turn has released the chat. */
async function afterCompaction(
  deps: ChatRequestDeps,
  { sid, state }: SessionHandle,
  { signal }: { signal: AbortSignal },
): Promise<void> {
  const turn = activeTurn(state)
  const run = turn && runOf(state, turn.runId)
  if (!run || turn.settledSeq === null) return
  const enough = AbortSignal.any([signal, AbortSignal.timeout(COMPACTION_WITHIN_MS)])
  await runEnd(deps, sid, run, { signal: enough })
}
