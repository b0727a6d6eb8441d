import { createHash, randomBytes } from "node:crypto"
import { createLooseEnds } from "@switchyard/core/agents/runner/loose-ends"
import type { EventOf, EventType, LogEvent } from "@switchyard/core/events"
import { commitChanges } from "@switchyard/core/files/workspaces/commit"
import { openWorkspace } from "@switchyard/core/files/workspaces/files"
import { workspacePath } from "@switchyard/core/files/workspaces/path"
import { createRepositoryCredentials } from "@switchyard/core/files/worktrees/repository-credentials"
import { createNewId, sessionKey } from "@switchyard/core/ids"
import { createDueList } from "@switchyard/core/kernel/due"
import { logName } from "@switchyard/core/kernel/keys"
import { openSessionLog } from "@switchyard/core/kernel/session-log"
import { createLog } from "@switchyard/core/log/log"
import { hydrateEvent } from "@switchyard/core/log/payload"
import type { ModelProvider } from "@switchyard/core/models/provider"
import { createOwnerLimits } from "@switchyard/core/sessions/owner-limits"
import { createSessions } from "@switchyard/core/sessions/sessions"
import { sessionFold } from "@switchyard/core/state"
import { createSealer } from "@switchyard/core/storage/sealing"
import { systemClock } from "@switchyard/core/time"
import { undoEdits } from "@switchyard/core/work/chat/edits/undo-edits"
import { modelHistory, readPath } from "@switchyard/core/work/chat/history/model-history"
import { readTranscript } from "@switchyard/core/work/chat/history/transcript"
import { addReadPage, readShownPages } from "@switchyard/core/work/chat/pages/added-pages"
import { createPageSummary } from "@switchyard/core/work/chat/pages/page-summary"
import { indexFiles } from "@switchyard/core/work/chat/prompt/code-map"
import { askQuestion, forgetPage, selectFiles } from "@switchyard/core/work/chat/rules"
import { CHAT_AGENT, type ChatMode, PAGE_AGENT } from "@switchyard/core/work/chat/schema"
import { createChat } from "@switchyard/core/work/chat/turn/create-chat"
import { forecastTurn } from "@switchyard/core/work/chat/turn/forecast-turn"
import type { FetchPage } from "@switchyard/core/work/pages/fetch-page"
import { executeInWorker } from "@switchyard/core/work/runs/execute"
import { createReconcile } from "@switchyard/core/work/runs/reconcile"
import { createRunIndex } from "@switchyard/core/work/runs/run-index"
import { createCallerKey, createRunSecrets } from "@switchyard/core/work/runs/run-secrets"
import { createRuns } from "@switchyard/core/work/runs/runs"
import { openStores, type Stores } from "../../../fixtures/stores.ts"
import { LIMIT_MS } from "../../../settings.ts"

const signal = new AbortController().signal
const OWNER = "owner"

export type ChatBench = Awaited<ReturnType<typeof openChatBench>>

const noNetwork: FetchPage = () => Promise.reject(new Error("There is no network here."))

/** One session with a chat on real stores, and executors for its turns; on stores of its own, or on those that there are. */
export async function openChatBench(
  given?: Stores,
  { fetchPage = noNetwork, model = "scripted/test" }: { fetchPage?: FetchPage; model?: string } = {},
) {
  const stores = given ?? (await openStores())
  const sessionId = randomBytes(8).toString("hex")
  const sid = sessionKey(OWNER, sessionId)
  const newId = createNewId()
  const report = (error: unknown) => {
    throw error
  }

  function depsOn({ records, blobs }: Pick<Stores, "records" | "blobs">) {
    const clock = systemClock
    const log = createLog({ records, blobs, clock })
    const sealer = createSealer(createHash("sha256").update("test").digest())
    const keys = createRunSecrets(records, sealer, clock.now)
    const due = createDueList(records)
    const shared = { records, blobs, log, clock, newId, due, keys, fold: sessionFold, writer: "test", report }
    const repositoryCredentials = createRepositoryCredentials({ records, sealerOf: () => sealer })
    return { ...shared, repositoryCredentials, index: createRunIndex(records), closeLooseEnds: createLooseEnds(shared) }
  }
  const base = depsOn(stores)
  const runs = createRuns({ ...base, launcher: { start: async () => {} } })
  const session = () => openSessionLog(base, sid, { signal })
  const limits = createOwnerLimits({ ...base, limits: { sessions: 0, storedBytes: 0, terminals: 0 } })
  await createSessions({ ...base, gitHostGrants: { grant: async () => {} }, limits }).touch(OWNER, sessionId, {
    signal,
  })
  let asked = 0

  return {
    stores,
    sid,
    state: async () => (await session()).state,
    /** Asks, and gives the id of the turn's run. */
    async ask(content: string, options: { files?: string[]; mode?: ChatMode; excludedUrls?: string[] } = {}) {
      const { files = [], mode = "edit", excludedUrls = [] } = options
      const requestId = `${1_700_000_000_000 + asked++}-abcdef`
      const question = {
        requestId,
        content,
        files,
        mode,
        images: [],
        urls: [],
        excludedUrls,
        systemExtra: "",
        newChatId: "sess_1",
      }
      const { runId } = await runs.start(
        {
          ...{ owner: OWNER, sid, sessionId, model, kind: "chat", agentId: CHAT_AGENT },
          input: { request_id: requestId, words: content },
          alongside: (runId) => askQuestion({ ...question, runId }),
        },
        { signal },
      )
      return runId
    },
    /** Executes the turn as whoever is launched next would; on other stores, if any are given. */
    async execute(runId: string, provider: ModelProvider, { on = stores }: { on?: Stores } = {}) {
      const deps = depsOn(on)
      const openModel = () => ({ provider, model: "test" })
      const given = { ...deps, openModel, fetchPage, mapWithinMs: LIMIT_MS }
      const chat = createChat(given)
      const other = () => Promise.reject(new Error("This is no chat."))
      const works = {
        chat,
        workflow: other,
        team: other,
        work_node: other,
        page: createPageSummary(given),
        rewind: other,
        fork: other,
        chat_files: other,
      }
      const executor = {
        ...deps,
        reconcile: createReconcile(deps),
        callerKey: createCallerKey(deps),
        leases: deps.records,
        executor: randomBytes(4).toString("hex"),
        verboseErrors: true,
        report: () => {},
      }
      const { generation, kind } = (await runs.get(OWNER, runId, { signal })).run
      const launch = { sid, runId, expectedGeneration: generation, kind }
      await executeInWorker(executor, works, launch, { signal })
    },
    /** Takes the edits of the first turn's answer back; on other stores, if any are given. */
    async undo({ on = stores }: { on?: Stores } = {}) {
      const deps = depsOn(on)
      await undoEdits(deps, await openSessionLog(deps, sid, { signal }), "1700000000000-abcdef", { signal })
    },
    async cancel(runId: string) {
      await runs.cancel(OWNER, runId, "stopped", { signal })
    },
    async run(runId: string) {
      return (await runs.get(OWNER, runId, { signal })).run
    },
    async eventsOf<T extends EventType>(type: T) {
      const events = await Array.fromAsync(base.log.read(logName(sid), 0, {}))
      return events.filter((event) => event.type === type) as EventOf<T>[]
    },
    /** Adds a page to what the model is shown. */
    addPage: async (url: string) => addReadPage({ ...base, fetchPage }, await session(), url, { signal }),
    /** Starts the run that summarises a page, and gives its id. */
    async summarize(url: string) {
      const about = { owner: OWNER, sid, sessionId, model, kind: "page" as const, agentId: PAGE_AGENT }
      return (await runs.start({ ...about, input: { chat_id: "sess_1", url } }, { signal })).runId
    },
    async forgetPage(url: string) {
      await (await session()).decide(forgetPage(url), { signal })
    },
    /** The addresses of the pages that the next turn shows. */
    pages: async () => (await readShownPages(base, await session(), { signal })).map(({ url }) => url),
    forecast: async (model: string) => forecastTurn(base, await session(), { model, signal }),
    async select(files: string[]) {
      await (await session()).decide(selectFiles(files), { signal })
    },
    /** An event with its large fields. */
    async textsOf<T extends LogEvent>(event: T | undefined) {
      if (!event) throw new Error("There is no such event.")
      return (await hydrateEvent(base.blobs, event, { signal })) as T
    },
    /** The conversation as the next turn's model reads it. */
    async history() {
      const at = await session()
      return modelHistory(await readPath(base, at, { chatId: "sess_1", beforeSeq: at.state.head + 1, signal }))
    },
    async messages() {
      return (await readTranscript(base, await session(), "sess_1", { signal })).messages
    },
    /** Parses all files, as is done in the background, so that no turn has to. */
    async parse() {
      const at = await session()
      await indexFiles(stores, at, await openWorkspace(stores, at, {}), { withinMs: LIMIT_MS, signal })
    },
    /** A person's own change. */
    async write(files: Record<string, string | Uint8Array>) {
      const changes = Object.entries(files).map(([path, text]) => {
        const bytes = typeof text === "string" ? Buffer.from(text) : text
        return { op: "write" as const, path: workspacePath(path), bytes }
      })
      await commitChanges(stores, await session(), changes, { signal })
    },
    async files() {
      const { files } = await (await openWorkspace(stores, await session(), {})).readAllTexts({})
      return Object.fromEntries(files.map(({ path, text }) => [path, text]))
    },
    close: () => stores.close(),
  }
}

/** An edit block of an answer. */
export function block(path: string, oldLines: string, newLines: string): string {
  return `${path}\n<<<< EDIT\n${oldLines}==== REPLACE\n${newLines}>>>> EDIT END\n`
}
