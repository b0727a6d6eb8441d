import { AppError, type ErrorCode, isAppError } from "../../errors.ts"
import type { SessionLog } from "../../kernel/session-log.ts"
import type { Log } from "../../log/log.ts"
import { type ModelsConfig, resolveModel } from "../../models/resolve.ts"
import type { Accounts } from "../../people/accounts/accounts.ts"
import { withOwnersKey } from "../../people/accounts/model-keys.ts"
import { withinSessionBudget } from "../../people/budget/run-budgets.ts"
import type { Blobs } from "../../storage/blobs.ts"
import type { Records } from "../../storage/records.ts"
import type { Clock } from "../../time.ts"
import { addReadPage, readShownPages } from "../../work/chat/pages/added-pages.ts"
import { canSummarize, needsSummary } from "../../work/chat/pages/summarize-page.ts"
import { type ChatPage, PAGE_AGENT } from "../../work/chat/schema.ts"
import type { FetchPage } from "../../work/pages/fetch-page.ts"
import { runEnd } from "../../work/runs/follow-run.ts"
import type { NewRun } from "../../work/runs/run-starts.ts"
import { activeRun, type RunState } from "../../work/runs/state.ts"
import { type StartRunDeps, startRun } from "./start-run.ts"

export interface PageRequestDeps extends StartRunDeps {
  log: Log
  blobs: Blobs
  records: Records
  clock: Clock
  accounts: Accounts
  models: ModelsConfig
  fetchPage: FetchPage
}

export interface PageRequest {
  url: string
  /**
   * Model whose provider writes the summary, with a small model of that provider. Defaults to the installation's model.
   */
  model?: string | null | undefined
}

interface Caller {
  owner: string
  sessionId: string
  session: SessionLog
  apiKey: string | undefined
}

/** A page that was added. A long page has either a `summary` or a `notice`; a short page has neither. */
export interface AddedPage extends Pick<ChatPage, "url" | "title" | "text"> {
  summary: string | null
  /** Reason why a long page has no summary. */
  notice: string | null
}

const SUMMARY_WITHIN_MS = 60_000

/**
 * Reads a page and adds it to the model's context. A run summarises long pages, and this function waits for the summary
 * for up to a minute. Without a summary, the page is still added, and `notice` explains why. If the page can't be read
 * or a named model can't be used, throws `invalid_request` and changes nothing.
 */
export async function addPageWithSummary(
  deps: PageRequestDeps,
  caller: Caller,
  request: PageRequest,
  { signal }: { signal: AbortSignal },
): Promise<AddedPage> {
  const { owner, session, apiKey } = caller
  const named = { name: request.model ?? undefined, surface: "general" as const, apiKey }
  const { account, ...keyed } = await withOwnersKey(deps, owner, named, { signal })
  const resolve = () => resolveModel(deps.models, keyed)
  if (named.name !== undefined) resolve()
  const page = await addReadPage(deps, session, request.url, { signal })
  const { url, title, text } = page
  const added = { url, title, text, summary: null, notice: null }
  if (!needsSummary(page)) return added
  try {
    const { provider, model } = resolve()
    const name = `${provider}/${model}`
    if (!canSummarize(name)) return { ...added, notice: unsummarized("The demo model doesn't write summaries.") }
    const by = { model: name, apiKey: keyed.apiKey, account }
    return { ...added, ...(await summarize(deps, caller, { url, ...by }, { signal })) }
  } catch (error) {
    if (!(error instanceof AppError) || !CODES.has(error.code)) throw error
    return { ...added, notice: unsummarized(error.message) }
  }
}

/** Errors of the summarising run that are tolerated. The page then has no summary. */
const CODES: ReadonlySet<ErrorCode> = new Set<ErrorCode>(["invalid_request", "budget_reached", "run_active"])

function unsummarized(reason: string): string {
  return `The page has no summary, so the model sees only its beginning. ${reason}`
}

async function summarize(
  deps: PageRequestDeps,
  { owner, sessionId, session }: Caller,
  { url, ...by }: { url: string; model: string; apiKey: string | undefined; account: string | undefined },
  { signal }: { signal: AbortSignal },
): Promise<Pick<AddedPage, "summary" | "notice">> {
  const { sid } = session
  const enough = AbortSignal.any([signal, AbortSignal.timeout(SUMMARY_WITHIN_MS)])
  const alongside = () => withinSessionBudget(() => [])
  const input = { chat_id: session.state.chat.chatId ?? "", url }
  const about = { owner, sid, sessionId, kind: "page" as const, agentId: PAGE_AGENT, input, ...by }
  const run = await startAfterOthers(deps, session, { ...about, alongside }, { signal, enough })
  const end = await runEnd(deps, sid, run, { signal: enough })
  signal.throwIfAborted()
  await session.catchUp({ signal })
  const shown = await readShownPages(deps, session, { signal })
  const summary = shown.find((page) => page.url === url)?.summary
  if (summary !== undefined) return { summary, notice: null }
  const late = "The model didn't answer within a minute. The summary will be added when it does."
  const reason = end?.type === "run_failed" ? [end.message, end.hint].filter(Boolean).join(" ") : "It was stopped."
  return { summary: null, notice: unsummarized(end ? reason : late) }
}

/** Starts a run once no other page in the session is being summarised. */
async function startAfterOthers(
  deps: PageRequestDeps,
  session: SessionLog,
  run: NewRun,
  { signal, enough }: { signal: AbortSignal; enough: AbortSignal },
): Promise<RunState> {
  for (;;) {
    try {
      return await startRun(deps, run, { signal })
    } catch (error) {
      const isBusy = isAppError(error, "run_active") && error.details.run_id !== undefined
      if (!isBusy) throw error
      const other = activeRun(await session.catchUp({ signal }), PAGE_AGENT)
      if (other && !(await runEnd(deps, session.sid, other, { signal: enough }))) throw error
    }
  }
}
