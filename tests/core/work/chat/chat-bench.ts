import type { LogEvent } from "@switchyard/core/events"
import { openWorkspace } from "@switchyard/core/files/workspaces/files"
import { openSessionLog } from "@switchyard/core/kernel/session-log"
import { hydrateEvent } from "@switchyard/core/log/payload"
import type { ModelProvider } from "@switchyard/core/models/provider"
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
import type { Stores } from "../../../fixtures/stores.ts"
import { LIMIT_MS } from "../../../settings.ts"
import { openSessionBench } from "../session-bench.ts"

const signal = new AbortController().signal

export type ChatBench = Awaited<ReturnType<typeof openChatBench>>

const noNetwork: FetchPage = () => Promise.reject(new Error("There is no network here."))

/** Opens a session with a chat on real stores, and executors for its turns. Creates new stores unless `given`. */
export async function openChatBench(
  given?: Stores,
  { fetchPage = noNetwork, model = "scripted/test" }: { fetchPage?: FetchPage; model?: string } = {},
) {
  const bench = await openSessionBench(given, { clock: systemClock })
  const { stores, sid, base, depsOn, runs, session, about } = bench
  let asked = 0

  return {
    ...bench,
    /** Asks a question and resolves to the id of the turn's run. */
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
          ...{ ...about, model, kind: "chat", agentId: CHAT_AGENT },
          input: { request_id: requestId, words: content },
          alongside: (runId) => askQuestion({ ...question, runId }),
        },
        { signal },
      )
      return runId
    },
    /** Executes the turn like the next launched executor, optionally on other stores. */
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
      const { generation, kind } = await bench.run(runId)
      const launch = { sid, runId, expectedGeneration: generation, kind }
      await executeInWorker(bench.executorOn(deps), works, launch, { signal })
    },
    /** Undoes the edits of the first turn's answer, optionally on other stores. */
    async undo({ on = stores }: { on?: Stores } = {}) {
      const deps = depsOn(on)
      await undoEdits(deps, await openSessionLog(deps, sid, { signal }), "1700000000000-abcdef", { signal })
    },
    /** Adds a page to the model's prompts. */
    addPage: async (url: string) => addReadPage({ ...base, fetchPage }, await session(), url, { signal }),
    /** Starts the run that summarizes a page, and resolves to the run's id. */
    async summarize(url: string) {
      const page = { ...about, model, kind: "page" as const, agentId: PAGE_AGENT }
      return (await runs.start({ ...page, input: { chat_id: "sess_1", url } }, { signal })).runId
    },
    forgetPage: (url: string) => bench.decide(forgetPage(url)),
    /** Resolves to the URLs of the pages that the next turn shows. */
    pages: async () => (await readShownPages(base, await session(), { signal })).map(({ url }) => url),
    forecast: async (model: string) => forecastTurn(base, await session(), { model, signal }),
    select: (files: string[]) => bench.decide(selectFiles(files)),
    /** Loads an event's large fields. */
    async textsOf<T extends LogEvent>(event: T | undefined) {
      if (!event) throw new Error("There is no such event.")
      return (await hydrateEvent(base.blobs, event, { signal })) as T
    },
    /** Resolves to the conversation that the next turn's model receives. */
    async history() {
      const at = await session()
      return modelHistory(await readPath(base, at, { chatId: "sess_1", beforeSeq: at.state.head + 1, signal }))
    },
    async messages() {
      return (await readTranscript(base, await session(), "sess_1", { signal })).messages
    },
    /** Parses all files, as the server does in the background, so that no turn has to. */
    async parse() {
      const at = await session()
      await indexFiles(stores, at, await openWorkspace(stores, at, {}), { withinMs: LIMIT_MS, signal })
    },
  }
}

/** Returns an edit block of an answer. */
export function block(path: string, oldLines: string, newLines: string): string {
  return `${path}\n<<<< EDIT\n${oldLines}==== REPLACE\n${newLines}>>>> EDIT END\n`
}
