import { join } from "node:path"
import type { Git } from "../git/plumbing/git.ts"

interface Options {
  signal: AbortSignal
}

/** A git setting. There can be several settings with the same key. */
export interface Setting {
  key: string
  value: string
}

/** Reads the settings in a git folder, without accessing the files and programs that the settings name. */
export async function readSettings(git: Git, gitDir: string, { signal }: Options): Promise<Setting[]> {
  const folder = await git.files.realpath(gitDir).catch(() => gitDir)
  const input = await git.files.readRegular(Buffer.from(join(folder, "config")))
  if (!input) return []
  // If git can't parse the file, return no settings.
  const accept = Array.from({ length: 255 }, (_, index) => index + 1)
  const { code, stdout } = await git(["config", "--file", "-", "--list", "-z"], { cwd: "/", input, accept, signal })
  if (code !== 0) return []
  const fields = stdout.toString().split("\0").filter(Boolean)
  return fields.map((field) => {
    const end = field.indexOf("\n")
    return end < 0 ? { key: field, value: "true" } : { key: field.slice(0, end), value: field.slice(end + 1) }
  })
}

/** Returns the settings that only the second list contains. */
export function addedSettings(before: Setting[], after: Setting[]): Setting[] {
  const known = new Set(before.map(({ key, value }) => `${key}\n${value}`))
  return after.filter(({ key, value }) => !known.has(`${key}\n${value}`))
}

const ADDRESS = /^(?:(?:https?|ssh|git):\/\/[^\s-]\S*|[\w.-]+@[\w.-]+:\S+|\/\S*)$/
const NAME = /^[\w.][\w./-]*$/
const REFSPEC = /^\^?\+?refs\/\S*$/

/** Settings that never start a program, each with the values that are allowed. */
const HARMLESS: [key: RegExp, value: RegExp][] = [
  [/^branch\..+\.(?:remote|pushremote)$/, NAME],
  [/^branch\..+\.merge$/, REFSPEC],
  [/^branch\..+\.(?:rebase|description)$/, /^/],
  [/^remote\..+\.(?:url|pushurl)$/, ADDRESS],
  [/^remote\..+\.(?:fetch|push)$/, REFSPEC],
]

/**
 * Separates harmless settings from all others. A harmless setting doesn't start programs and may be copied to a user's
 * repository.
 */
export function sortSettings(settings: Setting[]): { harmless: Setting[]; others: Setting[] } {
  // A remote is useless without its URL.
  const remoteOf = ({ key }: Setting) => /^remote\..*\./.exec(key)?.[0]
  const broken = new Set(settings.filter((setting) => !isHarmless(setting)).map(remoteOf))
  const isFine = (setting: Setting) => {
    const remote = remoteOf(setting)
    return isHarmless(setting) && !(remote !== undefined && broken.has(remote) && isAddressMissing(settings, remote))
  }
  return { harmless: settings.filter(isFine), others: settings.filter((setting) => !isFine(setting)) }
}

function isAddressMissing(settings: Setting[], remote: string): boolean {
  return !settings.some((setting) => setting.key === `${remote}url` && isHarmless(setting))
}

function isHarmless({ key, value }: Setting): boolean {
  return HARMLESS.some(([named, allowed]) => named.test(key) && allowed.test(value))
}

/** True if git itself writes this setting to the git folder of a submodule. */
export function isOfModule({ key }: Setting): boolean {
  return /^core\.(?:repositoryformatversion|filemode|bare|logallrefupdates|worktree|symlinks|ignorecase|precomposeunicode)$/.test(
    key,
  )
}

export async function addSettings(git: Git, cwd: string, settings: Setting[], { signal }: Options): Promise<void> {
  const byKey = Map.groupBy(settings, ({ key }) => key)
  for (const [key, given] of byKey) {
    const isList = /\.(?:fetch|push|url|pushurl)$/.test(key)
    for (const { value } of isList ? given : given.slice(-1)) {
      const how = isList ? "--add" : "--replace-all"
      await git(["config", "--local", how, key, value], { cwd, signal })
    }
  }
}

const MAX_SHOWN = 10
const MAX_SHOWN_CHARS = 200

/** Returns a sentence that lists settings and files. Returns undefined if there are none. */
export function shownSettings(what: string, settings: Setting[], files: string[]): string | undefined {
  const lines = [...settings.map(({ key, value }) => `${key} = ${value}`), ...files]
  if (lines.length === 0) return undefined
  const shown = lines.slice(0, MAX_SHOWN).map((line) => line.replaceAll(/\s/g, " ").slice(0, MAX_SHOWN_CHARS))
  const more = lines.length > MAX_SHOWN ? [`${lines.length - MAX_SHOWN} more`] : []
  return `${what}: ${[...shown, ...more].join("; ")}`
}
