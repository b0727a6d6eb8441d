import { globSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { clis } from "@switchyard/core/agents/clis/clis"
import { STAGE_MODEL_KEYS, STAGE_SEARCH_KEYS, STAGE_SETTINGS } from "@switchyard/functions/stage-settings"
import { HOST_LISTS } from "@switchyard/runner/network/agent-hosts"
import { readLockfile, unpinned } from "@switchyard/runner/programs/lockfile"
import { npmProgram } from "@switchyard/runner/programs/npm-program"
import { describe, expect, it } from "vitest"
import { root, SECRETS } from "./synth/synth.ts"

const read = (...path: string[]) => readFileSync(join(root, ...path), "utf8")
const page = read("docs", "deploy.md")
const operate = read("docs", "operate.md")

/** Modules that seal or sign with the master key or a derived key, each with its terms in `docs/operate.md`. */
const SEALED: Record<string, string[]> = {
  "core/src/agents/runner/launch-mailbox.ts": ["notes and tickets for agents' containers"],
  "core/src/agents/runner/tickets.ts": ["notes and tickets for agents' containers"],
  "core/src/agents/runner/warm-ticket.ts": ["notes and tickets for agents' containers"],
  "core/src/files/worktrees/repository-credentials.ts": ["repository credentials of sessions"],
  "core/src/people/accounts/accounts.ts": ["account API keys and logins"],
  "core/src/people/accounts/saved-keys.ts": ["saved keys for models"],
  "core/src/people/git-hooks/git-hooks.ts": ["webhook and git hook secrets"],
  "core/src/people/git-hosts/git-hosts.ts": ["git host tokens"],
  "core/src/people/webhooks/webhooks.ts": ["webhook and git hook secrets"],
  "core/src/storage/sealing.ts": [],
  "core/src/work/runs/run-secrets.ts": ["model keys in run requests"],
  "functions/src/access.ts": ["links to questions", "team trigger links", "socket tickets"],
  "functions/src/aws/runner-tasks.ts": ["notes and tickets for agents' containers"],
  "functions/src/local/server.ts": ["download links"],
  "functions/src/previews/keys.ts": ["preview addresses"],
}

/** Returns the source files of all packages with their texts. */
function sources(): [file: string, text: string][] {
  const files = globSync("*/src/**/*.ts", { cwd: join(root, "packages") })
  return files.map((file) => [file, read("packages", file)])
}

/** Returns the names in the first column of the table below a heading. */
function rows(heading: string): string[] {
  const section = page.split(/^## /m).find((part) => part.startsWith(heading)) ?? ""
  const cells = section.split("\n").flatMap((line) => /^\| (`.*?) \|/.exec(line)?.[1] ?? [])
  return cells.flatMap((cell) => [...cell.matchAll(/`(\w+)`/g)].map(([, name = ""]) => name)).sort()
}

describe("docs/operate.md", () => {
  it("says of every alarm what to do, and of no other", () => {
    const [, section = ""] = operate.split("## The alarms")
    const told = section.split("\n").flatMap((line) => /^\| (`.*?) \|/.exec(line)?.[1] ?? [])
    const names = told.flatMap((cell) => [...cell.matchAll(/`(\w+)`/g)].map(([, name]) => name))
    const alarms = read("infra", "alarm-list.ts").matchAll(/^ +([A-Z]\w+): \{/gm)
    expect(names.sort()).toEqual([...alarms].map(([, name]) => name).sort())
  })

  it("names each kind of line in the logs", () => {
    const [, section = ""] = operate.split("## Read the logs\n")
    const [sentence = ""] = /A line's `kind` is [^.]*\./.exec(section) ?? []
    const named = [...sentence.matchAll(/`([a-z]+)`/g)].flatMap(([, name = ""]) => (name === "kind" ? [] : name))
    const written = sources().flatMap(([, text]) =>
      [...text.matchAll(/logLine\("(\w+)"/g)].map(([, name = ""]) => name),
    )
    expect(named.sort()).toEqual([...new Set(written)].sort())
  })

  it("says what becomes of everything that the master key seals or signs, once it is lost", () => {
    const [, section = ""] = operate.split("### If the master key is lost\n")
    const lost = section.split("\n## ")[0] ?? ""
    const sealing = sources().filter(([, text]) => /\.seal\(|hkdfSync\(/.test(text))
    expect(sealing.map(([file]) => file).sort()).toEqual(Object.keys(SEALED).sort())
    for (const [file, words] of Object.entries(SEALED)) for (const word of words) expect(lost, file).toContain(word)
  })
})

/** Returns the secrets of each row, with the functions that the page lists as their readers. */
function secretRows(): [secrets: string[], readers: string[]][] {
  const [, section = ""] = page.split("\n## Secrets\n")
  const rows = section.match(/^\| `.*$/gm) ?? []
  expect(rows.length).toBeGreaterThan(3)
  return rows.map((row) => {
    const [, secrets = "", readers = ""] = row.split("|")
    const names = [...secrets.matchAll(/`(\w+)`/g)].map(([, name = ""]) => name)
    return [names, readers.match(/\b(?:api|stream|worker|logins|socket|pump|preview|Router)\b/g) ?? []]
  })
}

/** Returns the functions that a file of `infra/` creates. */
function functionsOf(source: string): string[] {
  const made = [...source.matchAll(/createFunction\("(\w+)"/g)].map(([, name = ""]) => name.toLowerCase())
  return source.includes("new sst.aws.Router(") ? [...made, "Router"] : made
}

describe("docs/deploy.md", () => {
  it("names every setting that a deployment takes, and no other", () => {
    const stage = read("infra", "stage.ts")
    const direct = [...stage.matchAll(/process\.env\.(\w+)/g)].map(([, name = ""]) => name)
    const hosts = Object.values(HOST_LISTS).map(({ name }) => name)
    expect(rows("Stages")).toEqual([...new Set<string>([...STAGE_SETTINGS, ...direct]), ...hosts].sort())
  })

  it("names every secret", () => {
    expect(rows("Secrets")).toEqual(Object.keys(SECRETS).sort())
  })

  it("names the functions that have each secret, and no others", () => {
    const files = readdirSync(join(root, "infra")).map((file) => read("infra", file))
    for (const [names, readers] of secretRows()) {
      for (const name of names) {
        const table = Object.values(STAGE_MODEL_KEYS).includes(name) ? "modelKeys" : "searchKeys"
        const isKey = [STAGE_MODEL_KEYS, STAGE_SEARCH_KEYS].some((keys) => Object.values(keys).includes(name))
        // The api learns only which model keys exist.
        const use = isKey
          ? new RegExp(`\\.\\.\\.secrets\\.${table}\\b`)
          : new RegExp(`secrets\\.${name[0]?.toLowerCase()}${name.slice(1)}\\b`)
        const holders = files.filter((text) => use.test(text)).map(functionsOf)
        expect(holders.flat(), name).toEqual(expect.arrayContaining(readers))
        for (const holder of holders) expect(readers, name).toEqual(expect.arrayContaining([expect.toBeOneOf(holder)]))
      }
    }
  })

  it("names the agents that the image for arm64 has, and no others", async () => {
    const [, sentence = ""] = /these agents: ([^.]*)\./.exec(page) ?? []
    const pinned = await Promise.all(
      Object.entries(clis).map(async ([cli, { title, package: found }]) => {
        if (found?.registry !== "npm") return []
        const { needed } = npmProgram(cli, found, { platform: "linux", arch: "arm64" })
        return unpinned(await readLockfile(cli), needed).length === 0 ? [title] : []
      }),
    )
    expect(sentence.split(", ").sort()).toEqual(pinned.flat().sort())
  })

  it("says what can be typed", () => {
    const { scripts } = JSON.parse(read("package.json"))
    const typed = [...page.matchAll(/npm run (\w+)/g)].map(([, name = ""]) => name)
    expect(typed.filter((name) => !(name in scripts))).toEqual([])
    expect(new Set(typed)).toEqual(new Set(["doctor", "deploy", "remove"]))
  })
})
