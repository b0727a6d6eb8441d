import { expect, it } from "vitest"
import { circleIn, files, foldersOf } from "./source-files.ts"

it("has no circle of folders in the command line, not even by their types", () => {
  const cli = files.filter(({ path }) => path.startsWith("cli/src/"))
  expect(cli.length).toBeGreaterThan(50)
  expect(circleIn(foldersOf(cli, { types: true }))).toEqual([])
})
