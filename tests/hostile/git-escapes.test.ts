import { execFileSync } from "node:child_process"
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { requestCommand } from "@switchyard/core/agents/runner/worktree-command-rules"
import { openSession } from "@switchyard/core/kernel/rules"
import { describe, expect, it } from "vitest"
import { needs } from "../needs.ts"
import type { Depot } from "../runner/runner-process.ts"
import { confinement } from "../runner/sandbox/confined.ts"
import { never as signal, someOf } from "../settings.ts"
import { ended, isRoot, openPassable, worktreeOf } from "./agent.ts"

// An agent leaves all that it can think of to have git start a program, and the runner's git works on that: it looks, saves,
// compares, merges and deletes.

/** Settings by which git starts a program, and what that does besides leaving its name. */
const SETTINGS: Record<string, string> = {
  "filter.clean.clean": "cat",
  "filter.smudge.smudge": "cat",
  "filter.process.process": "false",
  "merge.trap.driver": "true",
  "merge.default": "trap",
  "diff.trap.command": "true",
  "diff.trap.textconv": "cat",
  "diff.external": "true",
  "core.fsmonitor": "false",
  "core.editor": "true",
  "core.pager": "cat",
  "core.sshCommand": "false",
  "core.askPass": "false",
  "core.gitProxy": "false",
  "core.alternateRefsCommand": "true",
  "sequence.editor": "true",
  "credential.helper": "true",
  "gpg.program": "false",
  "gpg.ssh.program": "false",
  "gpg.ssh.defaultKeyCommand": "false",
  "gpg.x509.program": "false",
  "pager.status": "cat",
  "pager.diff": "cat",
  "interactive.diffFilter": "cat",
  "uploadpack.packObjectsHook": "true",
  "remote.origin.uploadpack": "false",
  "remote.origin.receivepack": "false",
  "trailer.sign.cmd": "true",
  "sendemail.sendmailCmd": "false",
  "difftool.trap.cmd": "true",
  "mergetool.trap.cmd": "true",
  "browser.trap.cmd": "true",
  "man.trap.cmd": "true",
  "guitool.trap.cmd": "true",
  "tar.tar.gz.command": "cat",
  "alias.commit": "true",
  "alias.status": "true",
}
const PLAIN_SETTINGS: Record<string, string> = {
  "commit.gpgSign": "true",
  "extensions.worktreeConfig": "true",
  "extensions.partialClone": "evil",
  "remote.evil.url": "ext::sh $PWD/evil.sh promisor",
  "remote.evil.promisor": "true",
  "remote.origin.vcs": "ext",
  "protocol.ext.allow": "always",
  "url.ext::sh.insteadOf": "https://",
  "gc.auto": "1",
  "gc.autoDetach": "false",
  "submodule.recurse": "true",
  "submodule.sub.update": "!sh $PWD/evil.sh submodule-update",
  "core.attributesFile": "$PWD/.gitattributes",
  "core.worktree": "$PWD",
  "core.hooksPath": "$PWD/hooks",
  "include.path": "$PWD/included",
  "includeIf.gitdir:/.path": "$PWD/included",
  "core.splitIndex": "true",
}
const HOOKS = [
  ...["applypatch-msg", "pre-applypatch", "post-applypatch", "pre-commit", "pre-merge-commit", "prepare-commit-msg"],
  ...["commit-msg", "post-commit", "pre-rebase", "post-checkout", "post-merge", "pre-push", "pre-receive", "update"],
  ...["post-receive", "post-update", "reference-transaction", "push-to-checkout", "pre-auto-gc", "post-rewrite"],
  ...["fsmonitor-watchman", "post-index-change", "sendemail-validate", "proc-receive"],
]

const COMMON = '"$(git rev-parse --git-common-dir)"'
const DIR = '"$(git rev-parse --git-dir)"'
const commit = "git -c alias.commit= -c commit.gpgSign=false -c core.hooksPath=/dev/null commit-tree"

/** Shell commands of the agent: a program that leaves its name, here and where only a program outside of the sandbox can. */
function prepare(proof: string): string {
  const hooks = HOOKS.map((name) => `printf '#!/bin/sh\\nsh %s/evil.sh hook-${name}\\n' "$PWD" >hooks/${name}`)
  return `printf 'echo "$1" >>${proof}\\necho "$1" >>%s/ran\\n' "$PWD" >evil.sh
    mkdir hooks; ${hooks.join("; ")}; chmod +x hooks/*
    printf '[filter "included"]\\n\\tclean = "sh %s/evil.sh included; cat"\\n' "$PWD" >included
    printf '*.clean filter=clean\\n*.smudge filter=smudge\\n*.process filter=process\\n*.included filter=included\\n*.trap merge=trap diff=trap\\n' >.gitattributes
    echo ran >.gitignore; printf 'sh %s/evil.sh format\ncat\n' "$PWD" >format.sh; echo x >x.format
    for kind in clean smudge process included trap; do echo "$PWD" >x.$kind; done`
}

const asSettings = (settings: [string, string][]) =>
  settings.map(([name, value]) => `git config ${name} "${value}" || true`).join("\n")

const SETTINGS_WAYS = {
  settings: `${asSettings(
    Object.entries(SETTINGS).map(([name, rest]) => [
      name,
      `${/^(alias|credential)/.test(name) ? "!" : ""}sh $PWD/evil.sh ${name}; ${rest}`,
    ]),
  )}
  ${asSettings(Object.entries(PLAIN_SETTINGS).map(([name, value]) => [name, value]))}`,
  worktreeSettings: `git config extensions.worktreeConfig true
    for file in ${DIR}/config.worktree ${COMMON}/config.worktree; do
      printf '[filter "clean"]\\n\\tclean = "sh %s/evil.sh worktree-config; cat"\\n[core]\\n\\tfsmonitor = "sh %s/evil.sh fsmonitor"\\n' "$PWD" "$PWD" >"$file"
    done`,
  hooksAndAttributes: `mkdir -p ${COMMON}/hooks ${COMMON}/info ${COMMON}/modules/sub/hooks
    cp hooks/* ${COMMON}/hooks/; cp hooks/* ${COMMON}/modules/sub/hooks/; cp .gitattributes ${COMMON}/info/attributes
    cp included ${COMMON}/modules/sub/config; git config filter.clean.clean "sh $PWD/evil.sh info; cat"`,
  nestedRepositories: `git init -q nested; (cd nested; echo x >x; git add x; ${commit} $(git write-tree) -m x >../id; git update-ref HEAD $(cat ../id)
      git config core.fsmonitor "sh $PWD/../evil.sh nested"; git config filter.clean.clean "sh $PWD/../evil.sh nested-clean; cat"; cp ../.gitattributes .; echo y >y.clean)
    git update-index --add --cacheinfo 160000 $(cat id) nested
    mkdir -p bare/objects bare/refs; echo 'ref: refs/heads/x' >bare/HEAD; printf '[core]\\n\\tbare = false\\n\\tworktree = "%s"\\n\\tfsmonitor = "sh %s/evil.sh bare"\\n' "$PWD" "$PWD" >bare/config`,
}

/** What the agent does, each in a task of its own. */
const WAYS: Record<string, string> = {
  "by settings, hooks, attributes and nested repositories": Object.values(SETTINGS_WAYS).join("\n"),
  "by another git folder": `git init -q --bare other.git
    git --git-dir other.git config filter.clean.clean "sh $PWD/evil.sh commondir; cat"
    git --git-dir other.git config core.fsmonitor "sh $PWD/evil.sh commondir-fsmonitor"
    echo "$PWD/other.git" >${DIR}/commondir; echo "$PWD/other.git" >${COMMON}/commondir`,
  "by a repository in the place of its own": `rm .git; git init -q .
    git config filter.clean.clean "sh $PWD/evil.sh replaced; cat"; git config core.fsmonitor "sh $PWD/evil.sh replaced-fsmonitor"
    cp hooks/* .git/hooks/`,
  "by a file in the place of its git folder": `git init -q --bare other.git; git --git-dir other.git config core.bare false
    git --git-dir other.git config filter.clean.clean "sh $PWD/evil.sh gitfile; cat"
    git --git-dir other.git config core.fsmonitor "sh $PWD/evil.sh gitfile-fsmonitor"; echo "gitdir: $PWD/other.git" >.git`,
}

/** A repository of a person, with a filter of theirs, which notes where it ran. */
function personsRepository(depot: Depot) {
  const folder = join(depot.folder, "projects/theirs")
  mkdirSync(folder, { recursive: true })
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "safe.directory=*", ...args], { cwd: folder, encoding: "utf8" })
  git("init", "-q", "-b", "main")
  git("config", "user.name", "Ada")
  git("config", "user.email", "ada@example.org")
  const smudged = join(depot.folder, "programs/smudged")
  mkdirSync(join(smudged, ".."), { recursive: true })
  writeFileSync(smudged, "")
  chmodSync(smudged, 0o666)
  git("config", "filter.theirs.smudge", `echo smudged >>${smudged}; tr a-z A-Z`)
  git("config", "filter.theirs.clean", "tr A-Z a-z")
  // A program of the repository's own, which an agent can change.
  for (const kind of ["clean", "smudge"]) git("config", `filter.format.${kind}`, "sh ./format.sh")
  writeFileSync(join(folder, "format.sh"), "cat\n")
  writeFileSync(join(folder, ".git/hooks/pre-commit"), "#!/bin/sh\n", { mode: 0o755 })
  writeFileSync(join(folder, ".git/info/attributes"), "*.up filter=theirs\n*.format filter=format\n")
  writeFileSync(join(folder, "name.up"), "ADA\n")
  writeFileSync(join(folder, "x.trap"), "theirs\n")
  git("add", ".")
  git("commit", "-qm", "begin", "--no-verify")
  return { folder, git, smudged: () => readFileSync(smudged, "utf8") }
}

/** All files of a repository's git folder that aren't its content, by path. */
function settingsIn(gitDir: string): Record<string, string> {
  const content =
    /^(objects|logs|refs|worktrees|index|HEAD|ORIG_HEAD|FETCH_HEAD|COMMIT_EDITMSG|packed-refs|switchyard.*)(\/|$)/
  const files = readdirSync(gitDir, { recursive: true, withFileTypes: true }).filter((entry) => !entry.isDirectory())
  const paths = files.map(({ parentPath, name }) => join(parentPath, name).slice(gitDir.length + 1))
  const kept = paths.filter((path) => !content.test(path)).sort()
  return Object.fromEntries(kept.map((path) => [path, readFileSync(join(gitDir, path), "latin1")]))
}

const lacksSandbox = confinement.means === "bubblewrap" ? undefined : "there is no bubblewrap that works"
const MODES: { name: string; env: Record<string, string>; skip: string | undefined }[] = [
  { name: "a sandbox", env: { SWITCHYARD_AGENT_SANDBOX: "require" }, skip: lacksSandbox },
  { name: "no sandbox", env: { SWITCHYARD_AGENT_SANDBOX: "off" }, skip: undefined },
  {
    name: "a sandbox and a user of its own",
    env: { SWITCHYARD_AGENT_SANDBOX: "require", SWITCHYARD_AGENT_USER: "nobody" },
    skip: isRoot ? lacksSandbox : "this user isn't root",
  },
]

const CASES = MODES.flatMap((mode) => Object.entries(WAYS).map(([way, script]) => ({ ...mode, way, script })))

describe("an agent that knows git", () => {
  describe.each(someOf(CASES, 5))("with $name", ({ env, skip, way, script }) => {
    it(`leaves nothing that git starts ${way}`, needs(skip), async () => {
      await using depot = await openPassable()
      const { folder, git, smudged } = personsRepository(depot)
      const proof = join(depot.folder, "programs/proof")
      writeFileSync(proof, "")
      chmodSync(proof, 0o666)
      if (env.SWITCHYARD_AGENT_USER) execFileSync("chown", ["-R", "nobody", folder])
      const before = settingsIn(join(folder, ".git"))
      await depot.session.decide(openSession("s", { repository: folder }), { signal })
      const runner = depot.start({}, { env })

      runner.run(await depot.create({ commands: [prepare(proof), script] }, folder))
      const first = await ended(depot, 0)
      expect([first.type, runner.stderr()]).toEqual(["run_completed", ""])
      expect(smudged()).toBe("smudged\n")
      expect(settingsIn(join(folder, ".git"))).toEqual(before)
      // With a commit of the person's to merge, and a conflict.
      writeFileSync(join(folder, "x.trap"), "mine\n")
      git("-c", "core.hooksPath=/dev/null", "commit", "-qam", "mine")
      if (env.SWITCHYARD_AGENT_USER) execFileSync("chown", ["-R", "nobody", folder])
      runner.run(await depot.create({ commands: ["echo again >again; echo y >>x.clean; rm -rf nested"] }, folder))
      const second = await ended(depot, first.seq)
      expect([second.type, runner.stderr()]).toEqual(["run_completed", ""])
      const isConfined = env.SWITCHYARD_AGENT_SANDBOX === "require"
      // Without a sandbox, the person's git runs the agent's programs.
      const ran = () => readFileSync(proof, "utf8").split("\n").filter(Boolean)
      expect(ran()).toEqual(isConfined ? [] : expect.any(Array))
      expect(readFileSync(join(await worktreeOf(depot), "ran"), "utf8")).not.toBe("")
      const merge = { command: "merge", strategy: "squash", commit_message: "Merge", delete_worktree: true } as const
      await depot.session.decide(requestCommand("cmd_1", merge), { signal })
      const stopped = await depot.seen("worktree_command_finished", second.seq)
      expect(stopped).toMatchObject({ answer: { status: "conflicts" }, error: null })
      await depot.session.decide(requestCommand("cmd_2", { command: "resolve", resolution: { use_incoming: true } }), {
        signal,
      })
      const merged = await depot.seen("worktree_command_finished", stopped.seq)
      expect(merged).toMatchObject({ answer: { status: "merged", worktree_deleted: true }, error: null })
      expect(readFileSync(join(folder, "again"), "utf8")).toBe("again\n")
      expect(readFileSync(join(folder, "name.up"), "utf8")).toBe("ADA\n")

      expect(ran()).toEqual(isConfined ? [] : expect.any(Array))
      expect(settingsIn(join(folder, ".git"))).toEqual(before)
      expect(existsSync(join(folder, ".git/worktrees"))).toBe(false)
      expect(git("branch", "--list").trim()).toBe("* main")
      expect(runner.stderr()).toBe("")
    })
  })
})
