import { randomUUID } from "node:crypto"
import { rename, writeFile } from "node:fs/promises"
import { isAbsolute, join } from "node:path"
import { ownFiles } from "../files/files.ts"
import type { Git } from "../git/plumbing/git.ts"

/**
 * A user's git settings that may be visible in a sandbox: for file conversion, the committer, diffs and merges. Other
 * settings may contain secrets.
 */
const SHARED =
  /^(?:(?:filter|merge|diff)\..+|user\.(?:name|email)|core\.(?:autocrlf|eol|ignorecase|precomposeunicode|symlinks|filemode|protecthfs|protectntfs))$/s

/** Settings that name a file that is shared with the sandbox, each with the file's default path. */
const NAMED = { "core.excludesfile": "git/ignore", "core.attributesfile": "git/attributes" }

/** Git settings that are used in the sandbox instead of the user's. */
export interface PersonSettings {
  files: string[]
  env: Record<string, string>
}

/**
 * Writes the settings that apply in a repository and may be visible in a sandbox to this file. Includes are resolved.
 */
export async function sharePersonSettings(
  git: Git,
  { repository, file, home }: { repository: string; file: string; home: string | undefined },
  { signal }: { signal: AbortSignal },
): Promise<PersonSettings> {
  const { stdout } = await git(["config", "--list", "-z", "--show-scope"], { cwd: repository, signal })
  const fields = stdout.toString().split("\0")
  const settings: [key: string, value: string | undefined][] = []
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [scope, setting = ""] = [fields[at], fields[at + 1]]
    const end = setting.indexOf("\n")
    if (scope !== "command")
      settings.push(end < 0 ? [setting, undefined] : [setting.slice(0, end), setting.slice(end + 1)])
  }
  const shared = settings.filter(([key]) => SHARED.test(key))
  const files: string[] = []
  for (const [key, beside] of Object.entries(NAMED)) {
    const set = settings.findLast(([each]) => each === key)?.[1]
    const place = set === undefined ? home && join(home, ".config", beside) : set.replace(/^~(?=\/)/, home ?? "~")
    if (!place || !isAbsolute(place) || !(await ownFiles.exists(place))) continue
    shared.push([key, place])
    files.push(place)
  }
  const fresh = `${file}.${randomUUID()}`
  await writeFile(fresh, shared.map(([key, value]) => asLines(key, value)).join(""))
  await rename(fresh, file)
  return { files: [...files, file], env: { GIT_CONFIG_GLOBAL: file } }
}

function asLines(key: string, value: string | undefined): string {
  const [from, to] = [key.indexOf("."), key.lastIndexOf(".")]
  const named = from === to ? "" : ` ${quoted(key.slice(from + 1, to))}`
  return `[${key.slice(0, from)}${named}]\n\t${key.slice(to + 1)}${value === undefined ? "" : ` = ${quoted(value)}`}\n`
}

const quoted = (text: string) =>
  `"${text.replaceAll(/["\\]/g, "\\$&").replaceAll("\n", "\\n").replaceAll("\t", "\\t")}"`
