import { fileURLToPath } from "node:url"
import { createSymbolCache, type SymbolCache } from "@switchyard/core/files/symbols/symbol-cache"
import { openWorkspace } from "@switchyard/core/files/workspaces/files"
import { workspacePath } from "@switchyard/core/files/workspaces/path"
import { type CodeMapDeps, readCodeMap } from "@switchyard/core/work/chat/prompt/code-map"
import { compared, cpuTimed, type Question, sideBySide, type Target } from "./measure.ts"
import { commitFiles, copies } from "./project.ts"
import { liveSession, newStage, signal } from "./stage.ts"

const FILES = 10_000
/** Project that the files are copies of: this repository's own core. */
const FOLDER = fileURLToPath(new URL("../packages/core/src/", import.meta.url))
const ROUNDS = 5
const AN_HOUR_MS = 3_600_000

export const codeMap: Question = {
  asks: `What does the map of ${FILES.toLocaleString("en")} files of code cost the processor, at first and after an edit?`,
  async answer() {
    await using stage = await newStage()
    const session = await liveSession(stage)
    const files = [...copies(FOLDER, FILES)].map(({ path, text }) => ({
      path: workspacePath(path),
      bytes: Buffer.from(text),
    }))
    await commitFiles(stage, session, files)
    const [edited] = files
    if (!edited) throw new Error("There are no files.")

    /** Symbols that the process keeps from the maps it made before. */
    const symbolCache = createSymbolCache()
    const map = (given: { symbolCache?: SymbolCache }) => cpuTimed(() => readMap({ ...stage, ...given }, session))
    const first = await map({ symbolCache })
    let edits = 0
    const afterEdit = async (line: string) => {
      const bytes = Buffer.concat([edited.bytes, Buffer.from(line.replace("$", String(++edits)))])
      await commitFiles(stage, session, [{ path: edited.path, bytes }])
      return map({ symbolCache })
    }
    const toFirst = async (measure: () => Promise<number>) => sideBySide(measure, async () => first, { rounds: ROUNDS })
    const inABody = await toFirst(() => afterEdit("// Edit $.\n"))
    const declaration = await toFirst(() => afterEdit("export const edited$ = 1\n"))
    const elsewhere = await toFirst(() => map({}))
    return [
      {
        ...{ what: "the first map: every file is read and parsed", value: first, unit: "ms" },
        target: { of: "value", atMost: 10_000 },
      },
      ...[
        compared("after an edit that declares nothing", "ms", "the first", inABody, AN_EDIT),
        compared("after one that declares something", "ms", "the first", declaration, AN_EDIT),
        compared("in another process", "ms", "the first", elsewhere),
      ],
    ]
  },
}

/** The same ratio as 200 ms to 10 s. */
const AN_EDIT: Target = { of: "ratio", atMost: 0.02 }

async function readMap(deps: CodeMapDeps, session: Awaited<ReturnType<typeof liveSession>>): Promise<void> {
  const workspace = await openWorkspace(deps, session, {})
  const map = await readCodeMap(deps, session, workspace, {
    ...{ shownBefore: new Set(), withinMs: AN_HOUR_MS, signal },
  })
  if (map.unparsed > 0) throw new Error(`${map.unparsed} files were not parsed.`)
}
