import { isAppError } from "@switchyard/core/errors"
import type { Git, GitAnswer, GitCall } from "./git.ts"

/** A failed filter and its program. */
export interface FailedFilter {
  name: string
  command: string
}

/**
 * Wraps git so that a failing filter is reported and its files are left unfiltered. The filter's program may be
 * missing, or may need something unavailable in a sandbox. Git alone would fail if the filter is required or processes
 * many files.
 */
export function withoutFailingFilters(git: Git, onFailed: (failed: FailedFilter) => void): Git {
  async function call(args: string[], options: GitCall): Promise<GitAnswer> {
    const off = new Map<string, FailedFilter>()
    for (;;) {
      const settings = [...off.keys()].flatMap((name) => SWITCHED_OFF.flatMap((to) => ["-c", `filter.${name}.${to}`]))
      try {
        const answer = await git([...settings, ...args], options)
        if (ONE_FAILED.test(answer.stderr)) {
          for (const failed of await failedIn(git, answer.stderr, options)) off.set(failed.name, failed)
        }
        for (const failed of off.values()) onFailed(failed)
        return answer
      } catch (error) {
        const said = isAppError(error, "git_error") ? String(error.details.said) : ""
        const failed = ALL_FAILED.test(said) ? await failedIn(git, said, options) : []
        const found = failed.filter(({ name }) => !off.has(name))
        if (found.length === 0) throw error
        for (const each of found) off.set(each.name, each)
      }
    }
  }
  return Object.assign(call, { files: git.files, isShared: git.isShared })
}

const SWITCHED_OFF = ["required=false", "clean=", "smudge=", "process="]
/** Message about a failing filter that isn't required. Git carries on despite the failure. */
const ONE_FAILED = /external filter '/
const ALL_FAILED = /(?:clean|smudge|external) filter |remote end hung up|unexpected EOF|filter-process/

/** Finds the filters whose name or program appears in a message, or else all long-running filters. */
async function failedIn(git: Git, said: string, { cwd, env, isUntouched, signal }: GitCall): Promise<FailedFilter[]> {
  const call = { cwd, isUntouched, signal, accept: [1], ...(env && { env }) }
  const asked = ["config", "-z", "--get-regexp", "^filter\\..*\\.(clean|smudge|process)$"]
  const settings = (await git(asked, call)).stdout.toString().split("\0").filter(Boolean)
  const filters = settings.map((setting) => {
    const end = setting.indexOf("\n")
    const [key, command] = end < 0 ? [setting, ""] : [setting.slice(0, end), setting.slice(end + 1)]
    return {
      name: key.slice("filter.".length, key.lastIndexOf(".")),
      kind: key.slice(key.lastIndexOf(".") + 1),
      command,
    }
  })
  const choices = [
    filters.filter(({ command }) => command !== "" && said.includes(`'${command}'`)),
    filters.filter(({ name }) => said.includes(`filter '${name}' failed`) || said.includes(`filter ${name} failed`)),
    filters.filter(({ kind }) => kind === "process"),
  ]
  return (choices.find(({ length }) => length > 0) ?? []).map(({ name, command }) => ({ name, command }))
}
