import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { inflateSync } from "node:zlib"
import { readAll } from "@switchyard/core/storage/blobs"
import { describe, expect, it } from "vitest"
import { needs } from "../needs.ts"
import type { Depot } from "../runner/runner-process.ts"
import { someOf } from "../settings.ts"
import { isRoot, openPassable, tried } from "./agent.ts"

/**
 * Settings that make git start a program, each with the rest of the program's command. The program also records its
 * name.
 */
const SETTINGS: Record<string, string> = {
  "core.fsmonitor": "false",
  "core.pager": "cat",
  "core.editor": "true",
  "core.sshCommand": "false",
  "core.askPass": "false",
  "core.gitProxy": "false",
  "sequence.editor": "true",
  "diff.external": "true",
  "diff.trap.command": "true",
  "diff.trap.textconv": "cat",
  "filter.trap.clean": "cat",
  "filter.trap.smudge": "cat",
  "merge.trap.driver": "true",
  "credential.helper": "true",
  "uploadpack.packObjectsHook": "true",
  "alias.commit": "true",
  "alias.status": "true",
  "remote.origin.uploadpack": "false",
  "receive.fsck": "true",
  "gpg.program": "false",
  "gpg.ssh.program": "false",
}
const HOOKS = [
  ...["applypatch-msg", "pre-applypatch", "post-applypatch", "pre-commit", "pre-merge-commit", "prepare-commit-msg"],
  ...["commit-msg", "post-commit", "pre-rebase", "post-checkout", "post-merge", "pre-push", "pre-receive", "update"],
  ...["post-receive", "post-update", "reference-transaction", "push-to-checkout", "pre-auto-gc", "post-rewrite"],
  ...["fsmonitor-watchman", "post-index-change", "sendemail-validate"],
]

describe("a repository of an agent", needs(isRoot ? undefined : "this user isn't root"), () => {
  it("has no program, of all that its settings and hooks name, run as root or with the runner's environment", async () => {
    await using depot = await openPassable()
    const proof = join(depot.folder, "programs/proof")
    mkdirSync(join(depot.folder, "programs"), { recursive: true })
    writeFileSync(proof, "")
    chmodSync(proof, 0o666)
    const told = (name: string) => `echo "${name} $(id -u) $SECRET_OF_THE_RUNNER" >>${proof}`
    const settings = Object.entries(SETTINGS).map(([name, rest]) => {
      const program = `sh -c "${told(name).replaceAll('"', '\\"')}; ${rest}"`
      // Without an exclamation mark, git would take the text for one of its own commands.
      return `git config ${name} '${/^(alias|credential)/.test(name) ? "!" : ""}${program}'`
    })
    const hooks = HOOKS.map(
      (name) => `printf '#!/bin/sh\\n%s\\n' '${told(name)}' >hooks/${name}; chmod +x hooks/${name}`,
    )
    const own = "git -c user.name=a -c user.email=a@example.org"
    const said = await tried(
      depot,
      `mkdir hooks; ${hooks.join("; ")}
      ${settings.join("\n")}
      git config core.hooksPath "$PWD/hooks"; git config gc.auto 1; git config gc.autoDetach false
      git config core.attributesFile "$PWD/.gitattributes"; git config protocol.ext.allow always
      git config url.ext::sh.insteadOf https://; git config submodule.recurse true
      cp hooks/* "$(git rev-parse --git-path hooks)/" 2>/dev/null || { mkdir -p "$(git rev-parse --git-common-dir)/hooks"; cp hooks/* "$(git rev-parse --git-common-dir)/hooks/"; }
      echo '* filter=trap diff=trap merge=trap' >.gitattributes; echo x >x
      ${own} add -A; ${own} commit -qm mine; echo y >x; chmod 777 .`,
    )
    expect(said).not.toContain("not for agents")
    // Has the runner check, commit and save this repository again.
    await tried(depot, "echo again >again")
    const lines = readFileSync(proof, "utf8").split("\n").filter(Boolean)
    expect(lines.length).toBeGreaterThan(0)
    for (const line of lines) expect(line).toMatch(/^\S+ [1-9]\d* $/)
  })

  const git = {
    dir: '"$(git rev-parse --git-dir)"',
    common: '"$(git rev-parse --git-common-dir)"',
  }
  const lists = (file: string) => [
    ...[`mkdir -p ${git.common}/refs/heads`, `ln -sf ${file} ${git.common}/refs/heads/x`],
    ...[`ln -sf ${file} ${git.common}/packed-refs`, `ln -sf ${file} ${git.dir}/MERGE_MSG`],
    ...[`git config core.excludesFile ${file}`, `git config core.attributesFile ${file}`],
    ...[`git config commit.template ${file}`, `echo ${file}/.. >${git.common}/objects/info/alternates`],
    ...[`ln -s ${file} stolen`, `ln -s ${file}/.. folder`],
  ]
  it.each(
    someOf<[string, (file: string) => string[]]>(
      [
        ["in its settings, by an include", (file) => [`git config include.path ${file}`]],
        ["as its settings", (file) => [`ln -sf ${file} ${git.common}/config`]],
        ["as its head", (file) => [`ln -sf ${file} ${git.dir}/HEAD`]],
        ["as its worktree", (file) => [`git config core.worktree ${file}/..`]],
        ["as its git folder", (file) => ["rm .git", `echo "gitdir: ${file}/.." >.git`]],
        ["as its branches, lists, messages, objects and files", lists],
      ],
      3,
    ),
  )("has root read no file that it names %s", async (_, script) => {
    await using depot = await openPassable()
    const secret = join(depot.folder, "root-only")
    mkdirSync(secret, { mode: 0o700 })
    writeFileSync(join(secret, "kept"), "[not-for-agents]\nnot = for agents\n")
    const since = (await depot.events()).length
    await tried(depot, ["echo x >x", ...script(join(secret, "kept")), "true"].join("; ")).catch(() => "it failed")
    const events = JSON.stringify((await depot.events()).slice(since))
    expect(events).not.toMatch(/not.for.agents/)
    const blobs = await Array.fromAsync(depot.deps.blobs.list("", {}))
    expect(blobs.length).toBeGreaterThan(0)
    for (const { key } of blobs) expect(await storedText(depot, key), key).not.toMatch(/not.for.agents/)
    expect(readFileSync(join(secret, "kept"), "utf8")).toContain("for agents")
    expect(existsSync(join(secret, "config"))).toBe(false)
  })
})

/** Returns a blob as text, with its deflated parts inflated. A bundle's objects are deflated. */
async function storedText({ deps }: Depot, key: string): Promise<string> {
  const stored = await deps.blobs.get(key)
  const bytes = stored ? await readAll(stored) : Buffer.of()
  const inflated = [...bytes.keys()].flatMap((at) => {
    try {
      return bytes[at] === 0x78 ? [inflateSync(bytes.subarray(at))] : []
    } catch {
      return []
    }
  })
  return Buffer.concat([bytes, ...inflated]).toString("latin1")
}
