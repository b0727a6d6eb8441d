import { imageExtension } from "../../agents/tasks/image-type.ts"
import { AppError } from "../../errors.ts"
import { storeArtifact } from "../../kernel/artifact.ts"
import { artifactBlobs } from "../../kernel/keys.ts"
import type { SessionHandle } from "../../kernel/session-handle.ts"
import type { Log } from "../../log/log.ts"
import { type ModelsConfig, resolveModel } from "../../models/resolve.ts"
import type { Accounts } from "../../people/accounts/accounts.ts"
import { missingKey } from "../../people/accounts/model-keys.ts"
import { withinSessionBudget } from "../../people/budget/run-budgets.ts"
import type { Settings } from "../../people/settings/settings.ts"
import { type Blobs, readAll } from "../../storage/blobs.ts"
import { newChatId, newRequestId } from "../../work/chat/ids.ts"
import type { NewChatTurn } from "../../work/chat/request-schema.ts"
import { askQuestion } from "../../work/chat/rules.ts"
import { CHAT_AGENT, type ChatCommit, type ChatImage, MAX_IMAGE_BYTES } from "../../work/chat/schema.ts"
import { activeTurn } from "../../work/chat/state.ts"
import { runEnd } from "../../work/runs/follow-run.ts"
import type { LocatedRun } from "../../work/runs/runs.ts"
import { runOf } from "../../work/runs/state.ts"
import { type StartOnceDeps, startRunOnce } from "./start-run.ts"

export interface ChatRequestDeps extends StartOnceDeps {
  log: Log
  blobs: Blobs
  accounts: Accounts
  settings: Pick<Settings, "preferences">
  models: ModelsConfig
}

/** Maximum wait for the previous turn, which may still be compacting the conversation. */
const COMPACTION_WITHIN_MS = 30_000

/**
 * Starts the requested turn, once per request id. Throws `run_active` if another turn is in progress, `invalid_request`
 * for an unusable model, `validation_error` for an empty message or a bad image, and `budget_reached` if the session's
 * budget is used up.
 */
export async function startTurn(
  deps: ChatRequestDeps,
  { owner, session, apiKey }: { owner: string; session: SessionHandle; apiKey: string | undefined },
  request: NewChatTurn & { commit?: ChatCommit },
  options: { signal: AbortSignal },
): Promise<{ requestId: string; found: LocatedRun }> {
  const { message, files, mode } = request
  if (message.trim() === "") throw new AppError("validation_error", "The message is empty.")
  const named = { name: request.model ?? undefined, surface: "general" as const }
  const own = apiKey === undefined ? await missingKey(deps, owner, named, options) : undefined
  const key = apiKey ?? own?.apiKey
  const { provider, model } = resolveModel(deps.models, { ...named, apiKey: key })
  const images = await storeImages(deps, session, request.images, options)
  await afterCompaction(deps, session, options)
  const { system_extra: systemExtra } = await deps.settings.preferences.read(owner, options)
  const requestId = request.request_id ?? newRequestId(deps.clock.now())
  const question = {
    ...{ requestId, content: message, files, images, mode, urls: request.urls, excludedUrls: request.excluded_urls },
    commit: request.commit,
    systemExtra,
    newChatId: newChatId(deps.clock.now()),
  }
  const found = await startRunOnce(
    deps,
    {
      ...{ owner, kind: "chat", model: `${provider}/${model}`, apiKey: key, workspace: session.sessionId },
      account: own?.account,
      ...{ agentId: CHAT_AGENT, input: { request_id: requestId, words: message.slice(0, 200) } },
      alongside(runId) {
        const rule = askQuestion({ ...question, runId })
        // A commit with a given message doesn't need a model, so it isn't limited by the budget.
        return request.commit?.message ? rule : withinSessionBudget(rule)
      },
    },
    { key: `chat/${session.sid}/${requestId}`, body: { ...request, api_key: undefined, requestId }, ...options },
  )
  return { requestId, found }
}

/** Waits until the active turn has released the chat, if the turn's answer is already complete. */
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

async function storeImages(
  deps: ChatRequestDeps,
  { sid, state }: SessionHandle,
  images: string[],
  options: { signal: AbortSignal },
): Promise<ChatImage[]> {
  const at = { sid, incarnation: state.session.incarnation }
  const stored: ChatImage[] = []
  for (const image of images) {
    const bytes = image.startsWith("data:") ? bytesOf(image) : await uploaded(deps.blobs, at, image, options)
    const type = imageExtension(bytes)
    if (!type) throw new AppError("validation_error", "An image must be a PNG, JPEG, GIF or WebP.")
    if (bytes.byteLength > MAX_IMAGE_BYTES) throw new AppError("validation_error", "An image is larger than 5 MB.")
    const { path, size } = await storeArtifact(deps.blobs, at, bytes, options)
    stored.push({ path, media_type: `image/${type === "jpg" ? "jpeg" : type}`, size })
  }
  return stored
}

function bytesOf(uri: string): Uint8Array {
  const [, base64] = /^data:image\/(?:png|jpeg|gif|webp);base64,([A-Za-z0-9+/=]+)$/.exec(uri) ?? []
  if (base64 === undefined)
    throw new AppError("validation_error", "An image must be a data URI of a PNG, JPEG, GIF or WebP.")
  return Buffer.from(base64, "base64")
}

async function uploaded(
  blobs: Blobs,
  { sid, incarnation }: { sid: string; incarnation: number },
  path: string,
  options: { signal: AbortSignal },
): Promise<Uint8Array> {
  const [, sha256] = /^artifacts\/([0-9a-f]{64})$/.exec(path) ?? []
  const source = sha256 && (await blobs.get(`${artifactBlobs(sid, incarnation)}${sha256}`, options))
  if (!source) throw new AppError("validation_error", "An image is not among the session's uploads.", { path })
  return readAll(source)
}
