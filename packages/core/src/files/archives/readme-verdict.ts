import type { SessionState } from "../../state.ts"
import { readAll } from "../../storage/blobs.ts"
import { formatCount } from "../../text/format.ts"
import type { CheckResult, Verdict } from "../../work/gate/schema.ts"
import { sha256Of, type WorkspaceStore } from "../workspaces/blob-store.ts"
import { type Manifest, type ManifestFile, manifestText } from "../workspaces/manifest.ts"
import { resultOf } from "../workspaces/project-files.ts"

/** Label by which our line in a README differs from the project's own lines. */
const LABEL = "**Switchyard check:**"
const NAMES = ["readme.md", "readme", "readme.txt"]
const MAX_README_BYTES = 1024 * 1024

/** Files of an archive, and the content of its README if it differs from the committed one. */
export interface ArchivedTree {
  manifest: Manifest
  /** Hash of the manifest. Null for version 0, which has no manifest. */
  sha256: string | null
  /**
   * False if the manifest was created for the archive, because a team's folders are left out or the README contains a
   * verdict.
   */
  isStored: boolean
  readme?: { sha256: string; bytes: Uint8Array }
}

/**
 * Returns the newest version in the form in which it is archived. If there is a README, the newest verdict is added to
 * it. The verdict isn't added in the workspace, because a check must not change the files that it verifies. A verdict
 * line from an earlier archive was about other files, so it is replaced, or removed if there is no verdict.
 */
export async function archivedTree(
  store: WorkspaceStore,
  { workspace, runs, team }: Pick<SessionState, "workspace" | "runs" | "team">,
  options: { signal?: AbortSignal },
): Promise<ArchivedTree> {
  const stored = await store.readManifest(workspace.manifest, options)
  const manifest = resultOf(stored, { team })
  const file = readmeOf(manifest)
  const isStored = manifest === stored
  const committed = { manifest, sha256: isStored ? workspace.manifest : sha256Of(manifestText(manifest)), isStored }
  if (!file) return committed
  const text = (await readAll(await store.read(file.sha256, options))).toString()
  const line = runs.verdict ? verdictLine(runs.verdict, workspace.version) : undefined
  const bytes = Buffer.from(withVerdictLine(text, line))
  const sha256 = sha256Of(bytes)
  if (sha256 === file.sha256) return committed
  const files = manifest.files.map((other) => (other === file ? { ...file, sha256, size: bytes.length } : other))
  const shown = { ...manifest, files }
  return { manifest: shown, sha256: sha256Of(manifestText(shown)), isStored: false, readme: { sha256, bytes } }
}

/** Stores the parts of the tree that aren't committed, so that the archive maker can read them. */
export async function writeTree(
  store: WorkspaceStore,
  { manifest, isStored, readme }: ArchivedTree,
  options: { signal?: AbortSignal },
): Promise<void> {
  if (readme) await store.write(readme.sha256, readme.bytes, options)
  if (!isStored) await store.writeManifest(manifest, options)
}

function readmeOf({ files }: Manifest): ManifestFile | undefined {
  const readable = files.filter(({ binary, size }) => !binary && size <= MAX_README_BYTES)
  return NAMES.map((name) => readable.find(({ path }) => path.toLowerCase() === name)).find((file) => file)
}

/**
 * Returns the verdict on this version's files as a line of Markdown. If the verdict is about another version, the line
 * says that it no longer applies.
 */
export function verdictLine(verdict: Verdict, version: number): string {
  const { status, workspace_version: checked, checks, changed_tests: tests = [] } = verdict
  if (status === "not_run" || checks.length === 0) return `${LABEL} not run.`
  if (checked !== version) {
    return `${LABEL} void. Version ${checked} was checked, and the files have changed since.`
  }
  const changed = tests.length > 0 ? ` Changed tests: ${tests.map(({ path }) => codeSpan(path)).join(", ")}.` : ""
  return `${LABEL} ${status} for version ${version}. ${checks.map(describeResult).join("; ")}.${changed}`
}

function describeResult({ command, exit_code, tests, set }: CheckResult): string {
  const end = exit_code === null ? "stopped" : `exit code ${exit_code}`
  const name = `${codeSpan(command)}${set ? " (set manually)" : ""}`
  if (!tests) return `${name}: ${end}`
  const { passed, failed, skipped } = tests
  const counts = [`${formatCount(passed, "test")} passed`, `${failed} failed`, `${skipped} skipped`]
  return `${name}: ${end}, ${counts.join(", ")}`
}

/** Returns text as inline code that Markdown renders unchanged on a single line. */
function codeSpan(text: string): string {
  const longest = Math.max(0, ...(text.match(/`+/g) ?? []).map(({ length }) => length))
  const fence = "`".repeat(longest + 1)
  const padding = longest > 0 ? " " : ""
  return `${fence}${padding}${text.replaceAll(/\s+/g, " ")}${padding}${fence}`
}

/**
 * Returns a README with this line inserted below its title, or at the end if there is no title. Removes earlier verdict
 * lines.
 */
export function withVerdictLine(readme: string, line: string | undefined): string {
  const lines = withoutOurs(readme.split("\n"))
  if (line === undefined) return lines.join("\n")
  const title = lines.findIndex((text) => text.trim() !== "")
  const isTitled = /^\uFEFF?#{1,6}\s/.test(lines[title] ?? "")
  const ending = readme.includes("\r\n") ? "\r" : ""
  if (isTitled && title < lines.length - 1) return lines.toSpliced(title + 1, 0, ending, line + ending).join("\n")
  const rest = lines.join("\n")
  return `${rest}${rest === "" || rest.endsWith("\n") ? "" : `${ending}\n`}${ending}\n${line}${ending}\n`
}

/** Removes our verdict lines, including the empty line that was added before each of them. */
function withoutOurs(lines: string[]): string[] {
  const isOurs = (line: string | undefined) => line?.startsWith(LABEL) === true
  const isEmpty = (line: string | undefined) => line?.trim() === ""
  return lines.filter((line, index) => !isOurs(line) && !(isEmpty(line) && isOurs(lines[index + 1])))
}
