import type { Manifest } from "@switchyard/core/files/workspaces/manifest"
import { resultOf } from "@switchyard/core/files/workspaces/project-files"
import type { SessionState } from "@switchyard/core/state"
import { describe, expect, it } from "vitest"

const manifestOf = (...paths: string[]) =>
  ({ files: paths.map((path) => ({ path })), folders: [] }) as never as Manifest
const team = (isInRepository = false) =>
  ({ isInRepository, nodes: { page: {} } }) as never as NonNullable<SessionState["team"]>
const shown = (paths: string[], of: SessionState["team"]) =>
  resultOf(manifestOf(...paths), { team: of }).files.map(({ path }) => path)

const OURS = ["nodes/page/published/index.html", "memory/MEMORY.md"]

describe("a session's result", () => {
  it("is the project of a team, with the project's own folder of the same name", () => {
    expect(shown(["index.html", "nodes/graph.js", ...OURS], team())).toEqual(["index.html", "nodes/graph.js"])
  })

  it("is everything before the team has a project, in a repository, and without a team", () => {
    expect(shown(OURS, team())).toEqual(OURS)
    for (const of of [team(true), null]) {
      expect(shown(["a.ts", ...OURS], of)).toEqual(["a.ts", ...OURS])
    }
  })
})
