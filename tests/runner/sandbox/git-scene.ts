import { execFileSync } from "node:child_process"
import { mkdirSync, readFileSync } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { join } from "node:path"
import { systemClock } from "@switchyard/core/time"
import { createGit } from "@switchyard/runner/git/plumbing/create-git"
import { createKnownGit } from "@switchyard/runner/git/plumbing/known-git"
import { bubblewrapCommand } from "@switchyard/runner/sandbox/bubblewrap"
import { agentGitMounts, createConfineGit } from "@switchyard/runner/sandbox/git-sandbox"
import { confinement } from "./confined.ts"

const PATH = process.env.PATH ?? ""
/** The branch of the agent's worktree. */
export const BRANCH = "switchyard/work"

/** Creates a person's repository with an agent's worktree, and git for the person and for the agent. */
export async function openScene() {
  const folder = await mkdtemp("/var/tmp/git-sandbox-")
  const repo = join(folder, "repo")
  const [home, tree] = [join(folder, "home"), join(folder, "work/tree")]
  for (const made of [repo, home, join(folder, "work")]) mkdirSync(made)
  const env = { PATH, HOME: home }
  const run = (cwd: string, ...args: string[]) => execFileSync("git", args, { cwd, env, encoding: "utf8" }).trimEnd()
  const theirs = (...args: string[]) => run(repo, ...args)
  theirs("init", "-q", "-b", "main")
  for (const key of ["name", "email"]) theirs("config", "--global", `user.${key}`, "ada@example.org")
  theirs("commit", "-q", "--allow-empty", "-m", "begin")
  theirs("worktree", "add", "-q", "-b", BRANCH, tree)
  const git = createGit({ env, userConfig: true })
  const worktree = {
    ...{ git, known: createKnownGit(), clock: systemClock },
    ...{ folder: join(folder, "work"), tree, scratch: join(folder, "work/merge") },
    repository: { folder: repo, commonDir: join(repo, ".git"), checkout: repo, journals: join(folder, "journals") },
    ...{ notes: join(folder, "notes"), branch: BRANCH, isOwn: false, isClone: false },
  }
  return {
    ...{ folder, repo, home, tree, theirs, worktree },
    /** Runs a script as the agent, in its sandbox. */
    async agent(script: string) {
      const place = {
        cwd: tree,
        writable: [tree],
        readable: [],
        mounts: await agentGitMounts(worktree),
        network: false,
      }
      const programs = { bwrap: "bwrap", perl: "perl" }
      const command = bubblewrapCommand(
        programs,
        { ...place, hasTerminal: false },
        { file: "sh", args: ["-c", script] },
      )
      const named = {
        GIT_AUTHOR_NAME: "a",
        GIT_AUTHOR_EMAIL: "a@b",
        GIT_COMMITTER_NAME: "a",
        GIT_COMMITTER_EMAIL: "a@b",
      }
      return execFileSync(command.file, command.args, {
        cwd: tree,
        env: { PATH, HOME: "/tmp", ...named },
        encoding: "utf8",
      })
    },
    /** The runner's git for the worktree. */
    confined: createConfineGit({ confinement, userOf: () => undefined, path: PATH, home })(git, async () => worktree, {
      ...{ worktree: "main", repository: "machine" },
    }),
    config: () => readFileSync(join(repo, ".git/config"), "utf8"),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  }
}
