import { AppError } from "../../../errors.ts"
import { factsInThread } from "../../../files/symbols/in-thread.ts"
import { createSymbols, type SymbolIndex } from "../../../files/symbols/symbol-index.ts"
import { createWorkspaceStore } from "../../../files/workspaces/blob-store.ts"
import { openWorkspace, type Workspace } from "../../../files/workspaces/files.ts"
import { workspacePath } from "../../../files/workspaces/path.ts"
import type { SessionHandle } from "../../../kernel/session-handle.ts"
import type { Blobs } from "../../../storage/blobs.ts"
import type { FileSymbols, SymbolMap } from "../symbols-schema.ts"
import { shownFiles } from "./shown-files.ts"

type Source = Pick<SessionHandle, "sid" | "state">

interface Options {
  signal: AbortSignal
}

/** Returns the code map of a chat. It contains only files that have already been parsed. */
export async function readSymbolMap(
  deps: { blobs: Blobs },
  session: Source,
  { variant, ...options }: Options & { variant: SymbolMap["variant"] },
): Promise<SymbolMap> {
  const { workspace, index } = await readIndex(deps, session, options)
  const { MAP_LEGEND, symbolMap } = await import("../../../files/symbols/symbol-map.ts")
  const { referencesOf } = await import("../../../files/symbols/references.ts")
  const paths = workspace.manifest.files.map(({ path }) => path)
  const map = symbolMap(index.files, referencesOf(index.files, paths), variant)
  return { variant, legend: MAP_LEGEND, map, files: index.files.size, unparsed_files: index.missing }
}

/**
 * Returns the declarations and imports of one file. Parses the file if necessary, which takes milliseconds. Doesn't
 * store the result.
 */
export async function readFileSymbols(
  deps: { blobs: Blobs },
  session: Source,
  { path: named, ...options }: Options & { path: string },
): Promise<FileSymbols> {
  const { workspace, index } = await readIndex(deps, session, options)
  const path = workspacePath(named)
  if (workspace.stat(path)?.type !== "file")
    throw new AppError("workspace_not_found", "This file doesn't exist.", { path })
  const facts = index.files.get(path) ?? (await parse(workspace, path, options))
  return { path, is_code: facts !== undefined, symbols: facts?.symbols ?? [], imports: facts?.imports ?? [] }
}

async function parse(workspace: Workspace, path: ReturnType<typeof workspacePath>, options: Options) {
  const { codeLanguageOf } = await import("../../../files/symbols/languages.ts")
  if (codeLanguageOf(path) === undefined) return undefined
  const facts = await factsInThread(path, await workspace.readText(path, options))
  if (facts === undefined)
    throw new AppError("workspace_validation_error", "The file can't be parsed, or parsing takes too long.", {
      path,
    })
  return facts ?? undefined
}

async function readIndex(
  { blobs }: { blobs: Blobs },
  { sid, state }: Source,
  options: Options,
): Promise<{ workspace: Workspace; index: SymbolIndex }> {
  const workspace = await openWorkspace({ blobs }, { sid, state }, { at: shownFiles(state), ...options })
  const { prefixes } = createWorkspaceStore(blobs, { sid, incarnation: state.session.incarnation })
  const symbols = createSymbols({ blobs, key: `${prefixes.outlines}index.json` })
  return { workspace, index: await symbols.known(workspace, options) }
}
