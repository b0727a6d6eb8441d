import { monitorEventLoopDelay } from "node:perf_hooks"
import { fileURLToPath } from "node:url"
import { createSymbolCache } from "@switchyard/core/files/symbols/symbol-cache"
import { openWorkspace } from "@switchyard/core/files/workspaces/files"
import { workspacePath } from "@switchyard/core/files/workspaces/path"
import { indexFiles } from "@switchyard/core/work/chat/prompt/code-map"
import { createRankFiles } from "@switchyard/core/work/workflow/plan/rank-files"
import { cpuTimed, type Line, type Question } from "./measure.ts"
import { commitFiles, copies } from "./project.ts"
import { liveSession, newStage, signal } from "./stage.ts"

const FOLDER = fileURLToPath(new URL("../packages/core/src/", import.meta.url))
const REQUEST =
  "Show in the list of workspaces how many files were skipped, and let `openWorkspace` count binary files."
const AN_HOUR_MS = 3_600_000

export const rankFiles: Question = {
  asks: "What does ranking a project's files for a request cost the processor, and how long does it block the server?",
  answer: async () => [...(await ranked(1000)), ...(await ranked(7000))],
}

async function ranked(count: number): Promise<Line[]> {
  await using stage = await newStage()
  const session = await liveSession(stage)
  const files = [...copies(FOLDER, count)].map(({ path, text }) => ({
    path: workspacePath(path),
    bytes: Buffer.from(text),
  }))
  await commitFiles(stage, session, files)
  const deps = { ...stage, symbolCache: createSymbolCache() }
  const rank = createRankFiles({
    indexFiles: (workspace, options) => indexFiles(deps, session, workspace, { withinMs: AN_HOUR_MS, ...options }),
  })
  const once = async () => {
    const workspace = await openWorkspace(stage, session, {})
    await rank(workspace, workspace.manifest.files, { request: REQUEST, planned: [], signal })
  }
  const first = await cpuTimed(once)
  const delay = monitorEventLoopDelay({ resolution: 5 })
  delay.enable()
  const again = await cpuTimed(once)
  delay.disable()
  const what = `${count.toLocaleString("en")} files`
  return [
    { what: `${what}, the first time: every file is parsed`, value: first, unit: "ms" },
    { what: `${what}, again`, value: again, unit: "ms", target: { of: "value", atMost: count / 4 } },
    { what: `${what}, again: the longest time that the server is blocked`, value: delay.max / 1e6, unit: "ms" },
  ]
}
