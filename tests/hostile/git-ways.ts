import { execFileSync } from "node:child_process"
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"

// The ways for an agent to make git start a program, and a person's repository to try them in.

/**
 * Settings that make git start a program, each with the rest of the program's command. The program also records its
 * name.
 */
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

/**
 * Returns the agent's shell commands for a program that records its name in its worktree. Outside the sandbox, it also
 * records its name and user in the file `proof`.
 */
export function prepare(proof: string): string {
  const hooks = HOOKS.map((name) => `printf '#!/bin/sh\\nsh %s/evil.sh hook-${name}\\n' "$PWD" >hooks/${name}`)
  return `printf 'echo "$1 $(id -u)" >>${proof}\\necho "$1" >>%s/ran\\n' "$PWD" >evil.sh
    mkdir hooks; ${hooks.join("; ")}; chmod +x hooks/*
    printf '[filter "included"]\\n\\tclean = "sh %s/evil.sh included; cat"\\n' "$PWD" >included
    printf '*.clean filter=clean\\n*.smudge filter=smudge\\n*.process filter=process\\n*.included filter=included\\n*.trap merge=trap diff=trap\\n' >.gitattributes
    echo ran >.gitignore; printf 'sh %s/evil.sh format\ncat\n' "$PWD" >format.sh; echo x >x.format
    for kind in clean smudge process included trap; do echo "$PWD" >x.$kind; done`
}

const asSettings = (settings: [string, string][]) =>
  settings.map(([name, value]) => `git config ${name} "${value}" || true`).join("\n")

/** Settings, hooks, attributes, included files and repositories that make git start a program. */
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

/** Shell commands of the agent. Each way runs in a separate task. */
export const WAYS: Record<string, string> = {
  "by settings, hooks, attributes and nested repositories": Object.values(SETTINGS_WAYS).join("\n"),
  "by another git folder": `git init -q --bare other.git
    git --git-dir other.git config filter.clean.clean "sh $PWD/evil.sh commondir; cat"
    git --git-dir other.git config core.fsmonitor "sh $PWD/evil.sh commondir-fsmonitor"
    echo "$PWD/other.git" >${DIR}/commondir; echo "$PWD/other.git" >${COMMON}/commondir`,
  "by branches, tags and other refs": `${SETTINGS_WAYS.settings}
    own=$(git symbolic-ref HEAD); git symbolic-ref $own refs/heads/main; evil=$(${commit} HEAD^{tree} -p HEAD -m evil)
    for ref in heads/main heads/theirs heads/switchyard/planted tags/main stash; do git update-ref refs/$ref $evil; done
    git replace -f HEAD $evil; git pack-refs --all; echo $evil >${COMMON}/shallow`,
  "by a repository in the place of its own": `rm .git; git init -q .
    git config filter.clean.clean "sh $PWD/evil.sh replaced; cat"; git config core.fsmonitor "sh $PWD/evil.sh replaced-fsmonitor"
    cp hooks/* .git/hooks/`,
  "by a file in the place of its git folder": `git init -q --bare other.git; git --git-dir other.git config core.bare false
    git --git-dir other.git config filter.clean.clean "sh $PWD/evil.sh gitfile; cat"
    git --git-dir other.git config core.fsmonitor "sh $PWD/evil.sh gitfile-fsmonitor"; echo "gitdir: $PWD/other.git" >.git`,
}

/** Creates a person's repository, with a filter that records its runs. */
export function personsRepository(home: string) {
  const folder = join(home, "projects/theirs")
  mkdirSync(folder, { recursive: true })
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "safe.directory=*", ...args], { cwd: folder, encoding: "utf8" })
  git("init", "-q", "-b", "main")
  git("config", "user.name", "Ada")
  git("config", "user.email", "ada@example.org")
  const smudged = join(home, "programs/smudged")
  mkdirSync(join(smudged, ".."), { recursive: true })
  writeFileSync(smudged, "")
  chmodSync(smudged, 0o666)
  git("config", "filter.theirs.smudge", `echo smudged >>${smudged}; tr a-z A-Z`)
  git("config", "filter.theirs.clean", "tr A-Z a-z")
  // This filter's program is in the repository, so an agent can change it.
  for (const kind of ["clean", "smudge"]) git("config", `filter.format.${kind}`, "sh ./format.sh")
  writeFileSync(join(folder, "format.sh"), "cat\n")
  writeFileSync(join(folder, ".git/hooks/pre-commit"), "#!/bin/sh\n", { mode: 0o755 })
  writeFileSync(join(folder, ".git/info/attributes"), "*.up filter=theirs\n*.format filter=format\n")
  writeFileSync(join(folder, "name.up"), "ADA\n")
  writeFileSync(join(folder, "x.trap"), "theirs\n")
  git("add", ".")
  git("commit", "-qm", "begin", "--no-verify")
  git("branch", "theirs")
  return { folder, git, smudged: () => readFileSync(smudged, "utf8") }
}

/** Returns all files of a git folder that aren't its repository's content, by path. */
export function settingsIn(gitDir: string): Record<string, string> {
  const content =
    /^(objects|logs|refs|worktrees|index|HEAD|ORIG_HEAD|FETCH_HEAD|COMMIT_EDITMSG|packed-refs|switchyard.*)(\/|$)/
  const files = readdirSync(gitDir, { recursive: true, withFileTypes: true }).filter((entry) => !entry.isDirectory())
  const paths = files.map(({ parentPath, name }) => join(parentPath, name).slice(gitDir.length + 1))
  const kept = paths.filter((path) => !content.test(path)).sort()
  return Object.fromEntries(kept.map((path) => [path, readFileSync(join(gitDir, path), "latin1")]))
}

/** Returns all refs of a person's repository except those of sessions, with their commits. */
export function refsIn(git: (...args: string[]) => string): [ref: string, commit: string][] {
  const lines = git("for-each-ref", "--format=%(refname) %(objectname)").split("\n").filter(Boolean)
  const refs = lines.map((line) => line.split(" ") as [string, string])
  return refs.filter(([ref]) => !/^refs\/(?:heads\/)?switchyard\//.test(ref))
}
