import * as z from "zod"
import type { Workspace } from "../../files/workspaces/files.ts"
import { isWorkspacePath, type WorkspacePath } from "../../files/workspaces/path.ts"
import { commentsOf, withoutComments } from "../../text/comments.ts"
import { parseJson } from "../../text/parse-json.ts"
import { runsBundler, runsInjectingBundler } from "./bundlers.ts"
import { isSource, pageScripts } from "./page-scripts.ts"

/** Maximum number of a page's scripts to read, because a page has few entry scripts. */
const MAX_READ = 4
/** Maximum length of a script to read. Longer scripts are already bundles. */
const MAX_CHARS = 256 * 1024

const Scripts = z.object({ scripts: z.record(z.string(), z.string()).catch({}) })

/**
 * Returns true if browsers can't run a page before the project is built: either the page loads sources that must be
 * compiled, or it belongs to an npm project and its scripts depend on packages or on a bundler. Reads only the page,
 * its first scripts and `package.json`.
 */
export async function needsBuild(
  workspace: Pick<Workspace, "stat" | "readText">,
  page: WorkspacePath,
  options: { signal: AbortSignal },
): Promise<boolean> {
  const read = (path: WorkspacePath) => workspace.readText(path, options).catch(() => undefined)
  const { loaded, modules, hasScripts, hasImportMap } = pageScripts((await read(page)) ?? "")
  if (loaded.some(({ address }) => isSource(address))) return true
  const manifest = Scripts.safeParse(parseJson((await read("package.json" as WorkspacePath)) ?? "")).data
  if (!manifest) return false
  const commands = Object.values(manifest.scripts)
  if (!hasScripts) return commands.some(runsInjectingBundler)
  const isBundled = commands.some(runsBundler)
  const needs = (code: string) => !hasImportMap && needsBundler(code)
  if (modules.slice(0, MAX_READ).some(needs)) return true
  for (const { address, isModule } of loaded.slice(0, MAX_READ)) {
    const paths = pathsOf(page, address)
    const path = paths.find((path) => workspace.stat(path)?.type === "file")
    // A script that isn't among the files is probably an output of the build.
    if (path === undefined && isBundled && paths.length > 0) return true
    if (path !== undefined && isModule && needs((await read(path)) ?? "")) return true
  }
  return false
}

/**
 * Returns the possible paths of a page's script: in the page's folder, or among the files that bundlers copy to the
 * root.
 */
function pathsOf(page: WorkspacePath, address: string): WorkspacePath[] {
  const base = `http://page.invalid/${page}`
  const url = URL.parse(address, base)
  if (url?.origin !== new URL(base).origin) return []
  const path = url.pathname.slice(1)
  return [path, `public/${path}`].filter(isWorkspacePath)
}

/** Matches an import at the start of a module. Captures its bindings, its quote, the module name and the attributes. */
const IMPORT = /\s*(?:import|export)\b([\w$*\s,{}]{0,4000})(["'])([^"'\n]{1,300})\2(\s*with\b[^;\n]{0,300})?[\s;]*/y
const SLASHES = commentsOf("js") ?? /$^/g

/**
 * Returns true if an import at the start of a module loads something that browsers can't. Imports rarely appear later
 * in a module.
 */
function needsBundler(code: string): boolean {
  if (code.length > MAX_CHARS) return false
  const text = withoutComments(code, SLASHES)
  for (let at = 0; at < text.length; at = IMPORT.lastIndex) {
    IMPORT.lastIndex = at
    const [, bindings = "", , name = "", attributes] = IMPORT.exec(text) ?? []
    if (name === "" || !/^\s*$|from\s*$/.test(bindings.slice(-50))) return false
    if (attributes === undefined && !isLoadable(name)) return true
  }
  return false
}

/** Returns true if browsers can load a module with this name without an import map. */
function isLoadable(name: string): boolean {
  if (/^(?:https?:|data:|blob:|\/\/)/i.test(name)) return true
  return /^\.{0,2}\//.test(name) && /\.m?js$/i.test(name.split(/[?#]/, 1)[0] ?? "")
}
