import { posix } from "node:path"
import { expect, it } from "vitest"
import { circleIn, files, foldersOf, importing } from "./source-files.ts"

/**
 * The runner's folders from bottom to top. `mock` is the agent's program in tests; the empty name is `src`, the entry
 * point.
 */
const RUNNER_ROOMS = [
  "mock",
  "processes",
  "files",
  "git/plumbing",
  "git/remote",
  "git/checkout",
  "git/worktrees",
  "git/merge",
  "git/saves",
  "git",
  "sandbox",
  "terminals",
  "gateway",
  "network",
  "tools",
  "programs",
  "agents",
  "gate",
  "project/setup",
  "project",
  "project/commands",
  "serving",
  "compose",
  "",
]

const roomOf = (path: string) => posix.dirname(path).replace(/^runner\/src\/?/, "")

it("has each room of the runner import only what lies below it", () => {
  const runner = files.filter(({ path }) => path.startsWith("runner/src/"))
  expect([...new Set(runner.map(({ path }) => roomOf(path)))].sort()).toEqual([...RUNNER_ROOMS].sort())
  const wrong = runner.flatMap(({ path, imports }) =>
    imports
      .filter((name) => name.startsWith("runner/src/"))
      .filter((name) => RUNNER_ROOMS.indexOf(roomOf(name)) > RUNNER_ROOMS.indexOf(roomOf(path)))
      .map((name) => `${path} → ${name}`),
  )
  expect(wrong).toEqual([])
  expect(importing(/^runner\/src\/mock\//, /^runner\/src\/(?!mock\/)/)).toEqual([])
})

it("has rooms of the runner that form no circle", () => {
  expect(circleIn(foldersOf(files.filter(({ path }) => path.startsWith("runner/src/"))))).toEqual([])
})
