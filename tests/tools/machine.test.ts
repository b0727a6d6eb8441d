import { mkdtemp, rm, symlink } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { locate } from "@switchyard/runner/programs/locate"
import { expect, it } from "vitest"
import { examineMachine } from "../../tools/cloud/machine.ts"

it("names what this machine doesn't hold agents to, and what to install for it", async () => {
  const folder = await mkdtemp(join(tmpdir(), "machine-"))
  const told = async () =>
    (await examineMachine(folder)).map(({ kind, says, commands }) => `${kind} ${says} ${commands?.join() ?? ""}`)
  const bare = await told()
  expect(bare[0]).toMatch(/^note .* found only by their folders.*perl-base$/)
  expect(bare[1]).toMatch(/^note .*such as sudo.*perl-base util-linux$/)
  expect(bare[2]).toMatch(/^note .*no limit for all of them together/)
  if (process.platform === "linux") expect(bare[3]).toMatch(/^note .*bubblewrap$/)

  const setpriv = await locate("setpriv", process.env.PATH ?? "")
  if (setpriv) {
    await symlink(setpriv.file, join(folder, "setpriv"))
    expect((await told()).map((line) => line.split(" ")[0]).slice(0, 3)).toEqual(["note", "fine", "note"])
  }
  await rm(folder, { recursive: true })
})
