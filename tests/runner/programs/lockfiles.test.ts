import { clis } from "@switchyard/core/agents/clis/clis"
import { readLockfile, readPackage, unpinned } from "@switchyard/runner/programs/lockfile"
import { MACHINES, npmProgram } from "@switchyard/runner/programs/npm-program"
import { describe, expect, it } from "vitest"

const pinned = Object.entries(clis).flatMap(([cli, { package: found }]) =>
  found?.registry === "npm" ? [[cli, found] as const] : [],
)

/**
 * Programs that the registry didn't have when the lockfiles were last made. They can't be installed on these machines
 * until `node tools/lock-agents.ts` finds them in a registry.
 */
const MISSING = ["opencode linux-arm64", "opencode darwin-x64", "opencode darwin-arm64"]

describe("the lockfiles of agents' programs", () => {
  it.each(pinned)(
    "pin what %s is declared to be, by the hash of each package and from whatever registry",
    async (cli, found) => {
      expect(await readPackage(cli)).toEqual(found)
      const { packages } = await readLockfile(cli)
      const { "": root, ...all } = packages
      expect(root?.version).toBe(found.version)
      const direct = Object.keys({ ...root?.dependencies, ...root?.optionalDependencies })
      expect(unpinned({ packages }, direct)).toEqual([])
      expect(direct).not.toEqual([])
      for (const [path, { integrity, resolved, link }] of Object.entries(all)) {
        expect([path, integrity]).toEqual([path, expect.stringMatching(/^sha512-[A-Za-z0-9+/]{86}==$/)])
        expect([path, resolved, link]).toEqual([path, undefined, undefined])
      }
    },
  )

  it("have the programs of every machine, but for those that are listed here", async () => {
    const missing: string[] = []
    for (const [cli, found] of pinned) {
      const lockfile = await readLockfile(cli)
      for (const machine of MACHINES) {
        const { needed } = npmProgram(cli, found, machine)
        if (unpinned(lockfile, needed).length > 0) missing.push(`${cli} ${machine.platform}-${machine.arch}`)
      }
    }
    expect(missing.sort()).toEqual([...MISSING].sort())
  })
})
