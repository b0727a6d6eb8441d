import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { ownFiles } from "@switchyard/runner/files/files"
import { documentsIn } from "@switchyard/runner/project/documents"
import { expect, it } from "vitest"

it("tells agents where a project's instructions are, from wherever they work", async () => {
  const folder = await mkdtemp(join(tmpdir(), "switchyard-documents-"))
  for (const name of ["AGENTS.md", "README.md"]) await writeFile(join(folder, name), "Use tabs.\n")
  expect(await documentsIn(ownFiles, folder)).toEqual([join(folder, "AGENTS.md")])
  await rm(folder, { recursive: true })
})
