import { assertUnchangedSince } from "@switchyard/core/files/workspaces/conflicts"
import { describe, expect, it } from "vitest"
import { deletion, folder, manifestOf, rename, write } from "./trees.ts"

const base = manifestOf({ "src/a": "A", "src/b": "B", readme: "R", "empty/": "" })
const conflictAt = (path: string) =>
  expect.objectContaining({ code: "workspace_conflict", details: expect.objectContaining({ path }) })

describe("what has changed since the changes were thought of", () => {
  it.each([
    ["another file", manifestOf({ "src/a": "A", "src/b": "B2", readme: "R", new: "N" }), write("src/a", "mine")],
    ["nothing", base, rename("src", "code")],
    ["a file beside the one to delete", manifestOf({ "src/a": "A", "src/b": "B2" }), deletion("src/a")],
    ["a folder beside the one to rename", manifestOf({ "src/a": "A", "src/b": "B", "x/y": "X" }), rename("src", "z")],
    ["anything, for a folder that shall just be there", manifestOf({}), folder("src")],
    ["the file, to what shall be written", manifestOf({ "src/a": "mine" }), write("src/a", "mine")],
    ["a new file, to what shall be written", manifestOf({ new: "mine" }), write("new", "mine")],
  ])("may be %s: %#", (_, head, change) => {
    expect(() => assertUnchangedSince(base, head, [change])).not.toThrow()
  })

  it.each([
    ["the file to write", manifestOf({ "src/a": "A2", "src/b": "B" }), write("src/a", "mine"), "src/a"],
    ["the file to write, by deleting it", manifestOf({ "src/b": "B" }), write("src/a", "mine"), "src/a"],
    ["the file to write, by making a folder of it", manifestOf({ "src/a/x": "A" }), write("src/a", "mine"), "src/a"],
    ["the file to write, by renaming its folder", manifestOf({ "s/a": "A" }), write("src/a", "mine"), "src/a"],
    ["the place of a new file", manifestOf({ new: "theirs" }), write("new", "mine"), "new"],
    ["the file to delete", manifestOf({ readme: "R2" }), deletion("readme"), "readme"],
    ["something in the folder to delete", manifestOf({ "src/a": "A", "src/b": "B2" }), deletion("src", true), "src"],
    ["what is in the folder to rename", manifestOf({ "src/a": "A" }), rename("src", "code"), "src"],
    [
      "the folder to rename, by adding",
      manifestOf({ "src/a": "A", "src/b": "B", "src/c/d": "" }),
      rename("src", "x"),
      "src",
    ],
    [
      "what is renamed over",
      manifestOf({ "src/a": "A", "src/b": "B", readme: "R2" }),
      rename("src", "readme", true),
      "readme",
    ],
  ])("may not be %s", (_, head, change, path) => {
    expect(() => assertUnchangedSince(base, head, [folder("x"), change])).toThrow(conflictAt(path))
  })
})
